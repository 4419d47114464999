module example.com/signup

go 1.19
