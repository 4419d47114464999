#!/bin/sh
# Makes the root of the container image (Dockerfile): the executable, the libraries that it is linked with, and the files
# of the system that they read. Arguments: the executable, and the folder to make.
set -eu
executable=$1
root=$2
mkdir -p "$root/etc" "$root/usr/local/bin"
mkdir -m 1777 "$root/tmp"
install -m 755 "$executable" "$root/usr/local/bin/kyclone"
ln -s kyclone "$root/usr/local/bin/kycloned"
ldd "$executable" | grep -o '/[^ ]*' | xargs cp -L --parents -t "$root"
echo 'kyclone:x:10001:10001::/data:/usr/local/bin/kyclone' >"$root/etc/passwd"
echo 'kyclone:x:10001:' >"$root/etc/group"
# Names in /etc/hosts come first, as an engine writes them.
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
