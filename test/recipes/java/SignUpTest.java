/*
 * kyclone exec -- java SignUpTest.java. Java 17 and its library are enough; with JUnit each `test` is a method of its own.
 */
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class SignUpTest {
    static final String URL = System.getenv("KYCLONE_BASE_URL");
    static final String PLAYBOOK = "pb_test_kycdefault000000000000";
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final Duration TOLERANCE = Duration.ofMinutes(5);
    static final HttpClient HTTP = HttpClient.newHttpClient();
    static final String JANE = """
        {"id.first_name": "Jane", "id.last_name": "Example", "id.dob": "1988-12-30", "id.ssn9": "121-12-1212",
         "id.email": "jane@example.com", "id.phone_number": "+14155550123", "id.address_line1": "1 Loop Road",
         "id.city": "San Francisco", "id.state": "CA", "id.zip": "94117", "id.country": "US"}""";

    // The app that is tested. It knows where the service is and has a key, and nothing of the emulator.

    record User(String id, String status) {}

    static User signUp(String person) throws Exception {
        String id = member(post("/users", person), "id");
        return new User(id, member(post("/users/" + id + "/kyc", "{\"key\": \"" + PLAYBOOK + "\"}"), "status"));
    }

    static String post(String path, String body) throws Exception {
        return send("POST", path, body, "x-service-secret-key", System.getenv("KYCLONE_API_KEY"));
    }

    record Delivery(String id, String timestamp, String signatures, byte[] body) {}

    /** Whether the service has signed this body, and not long ago. */
    static boolean isGenuine(Delivery delivery, String secret) throws Exception {
        Instant signedAt = Instant.ofEpochSecond(Long.parseLong(delivery.timestamp()));
        if (Duration.between(signedAt, Instant.now()).abs().compareTo(TOLERANCE) > 0) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
        mac.update((delivery.id() + "." + delivery.timestamp() + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(delivery.body()))).getBytes();
        // After a rotation there are two.
        boolean isGenuine = false;
        for (String each : delivery.signatures().split(" ")) {
            isGenuine |= MessageDigest.isEqual(expected, each.getBytes());
        }
        return isGenuine;
    }

    // What only tests use: the control plane.

    static String control(String method, String path, String body) throws Exception {
        String token = "Bearer " + System.getenv("KYCLONE_CONTROL_TOKEN");
        return send(method, "/_kyclone/" + path, body, "authorization", token);
    }

    /** The event of this kind about this user, once it has happened. */
    static String waitFor(String kind, String fpId) throws Exception {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(deadline)) {
            String events = control("GET", "events?kind=" + kind + "&fp_id=" + fpId, null);
            if (!events.contains("\"data\":[]")) return events;
            Thread.sleep(50);
        }
        throw new AssertionError("no " + kind + " of " + fpId);
    }

    static String send(String method, String path, String body, String header, String credential) throws Exception {
        var content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(URL + path)).method(method, content).header(header, credential);
        if (body != null) request.header("content-type", "application/json");
        var answer = HTTP.send(request.build(), BodyHandlers.ofString());
        if (answer.statusCode() != 200) throw new IllegalStateException("The service answered " + answer.statusCode());
        return answer.body();
    }

    /** A text of a JSON object; an app has a library for it. */
    static String member(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!found.find()) throw new AssertionError("no " + name + " in the answer");
        return found.group(1);
    }

    // The tests.

    interface Test {
        void run() throws Exception;
    }

    static int failed = 0;

    static void test(String title, Test test) throws Exception {
        control("POST", "reset", "{}");
        try {
            test.run();
            System.out.println("ok      " + title);
        } catch (Exception | AssertionError error) {
            failed++;
            System.out.println("failed  " + title + ": " + error);
        }
    }

    static void expect(Object actual, Object expected) {
        if (!expected.equals(actual)) throw new AssertionError("expected " + expected + ", got " + actual);
    }

    public static void main(String[] arguments) throws Exception {
        test("a person who signs up is verified, and the event says so", () -> {
            User user = signUp(JANE);
            expect(user.status(), "pass");
            expect(member(waitFor("onboarding.completed", user.id()), "status"), "pass");
        });

        test("a person who is refused hears of it", () -> {
            String rule = "{\"match\": {\"playbook_key\": \"" + PLAYBOOK + "\"}, \"outcome\": \"fail\", \"times\": 1}";
            control("POST", "outcomes", rule);
            expect(signUp(JANE).status(), "fail");
        });

        test("a delivery is genuine, and a changed one is not", () -> {
            var deliveries = new LinkedBlockingQueue<Delivery>();
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.createContext("/hooks", exchange -> {
                var headers = exchange.getRequestHeaders();
                deliveries.add(new Delivery(
                    headers.getFirst("webhook-id"),
                    headers.getFirst("webhook-timestamp"),
                    headers.getFirst("webhook-signature"),
                    exchange.getRequestBody().readAllBytes()));
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            server.start();
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/hooks";
            String webhook = control("POST", "webhooks", "{\"url\": \"" + url + "\"}");
            try {
                User user = signUp(JANE);
                Delivery delivery = deliveries.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (delivery == null) throw new AssertionError("nothing was delivered");
                String secret = member(webhook, "secret");
                expect(isGenuine(delivery, secret), true);
                String body = new String(delivery.body(), StandardCharsets.UTF_8);
                expect(member(body, "fp_id"), user.id());
                byte[] changed = body.replace("pass", "fail").getBytes(StandardCharsets.UTF_8);
                var forged = new Delivery(delivery.id(), delivery.timestamp(), delivery.signatures(), changed);
                expect(isGenuine(forged, secret), false);
                var old = new Delivery(delivery.id(), "0", delivery.signatures(), delivery.body());
                expect(isGenuine(old, secret), false);
            } finally {
                control("DELETE", "webhooks/" + member(webhook, "id"), null);
                server.stop(0);
            }
        });

        // The server and the client have threads of their own.
        System.exit(failed == 0 ? 0 : 1);
    }
}
