import com.ecwid.consul.v1.ConsulClient;
import com.ecwid.consul.v1.QueryParams;
import com.ecwid.consul.v1.agent.model.NewService;
import com.ecwid.consul.v1.event.model.EventParams;
import com.ecwid.consul.v1.health.HealthServicesRequest;
import com.ecwid.consul.v1.kv.model.PutParams;
import com.ecwid.consul.v1.session.model.NewSession;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.kiwiproject.consul.AgentClient;
import org.kiwiproject.consul.Consul;
import org.kiwiproject.consul.cache.ServiceHealthCache;
import org.kiwiproject.consul.model.agent.Registration.RegCheck;
import org.kiwiproject.consul.model.query.ImmutablePreparedQuery;
import org.kiwiproject.consul.model.query.ImmutableServiceQuery;
import org.kiwiproject.consul.model.session.ImmutableSession;

/**
 * Trials of the Java clients of the service mesh. Arguments: address and token of a world for each
 * client. Prints one line for each trial: client, capability and failure, separated by tabs; the
 * failure is empty if there is none.
 */
public class Trials {
  interface Trial {
    void run() throws Exception;
  }

  public static void main(String[] arguments) {
    String ecwid = "com.ecwid.consul:consul-api";
    new EcwidTrials(arguments[0], arguments[1]).all().forEach((name, trial) -> report(ecwid, name, trial));
    String kiwi = "org.kiwiproject:consul-client";
    new KiwiTrials(arguments[2], arguments[3]).all().forEach((name, trial) -> report(kiwi, name, trial));
    // The clients' threads would keep the process alive.
    System.exit(0);
  }

  static void report(String client, String capability, Trial trial) {
    String failure = "";
    try {
      trial.run();
    } catch (Throwable error) {
      failure = error.toString().replaceAll("\\s+", " ");
    }
    System.out.println(client + "\t" + capability + "\t" + failure);
  }

  static void is(Object got, Object expected) {
    if (!expected.equals(got)) throw new AssertionError("expected " + expected + ", got " + got);
  }
}

class EcwidTrials {
  private final ConsulClient client;
  private final String token;

  EcwidTrials(String url, String token) {
    URI address = URI.create(url);
    this.client = new ConsulClient(address.getHost(), address.getPort());
    this.token = token;
  }

  Map<String, Trials.Trial> all() {
    Map<String, Trials.Trial> trials = new LinkedHashMap<>();
    trials.put("services and checks", this::services);
    trials.put("a read with an index waits", this::waits);
    trials.put("sessions and locks", this::locks);
    trials.put("events", this::events);
    return trials;
  }

  private List<com.ecwid.consul.v1.health.model.HealthService> passing(QueryParams parameters) {
    var request = HealthServicesRequest.newBuilder().setPassing(true).setToken(token);
    return client.getHealthServices("web", request.setQueryParams(parameters).build()).getValue();
  }

  private void services() {
    NewService.Check check = new NewService.Check();
    check.setTtl("1h");
    NewService service = new NewService();
    service.setId("w1");
    service.setName("web");
    service.setPort(80);
    service.setTags(List.of("a"));
    service.setMeta(Map.of("version", "1"));
    service.setCheck(check);
    client.agentServiceRegister(service, token);
    Trials.is(passing(QueryParams.DEFAULT).size(), 0);
    client.agentCheckPass("service:w1", "alive", token);
    var found = passing(QueryParams.DEFAULT).get(0);
    Trials.is(found.getService().getPort(), 80);
    Trials.is(found.getService().getMeta().get("version"), "1");
    Trials.is(client.getCatalogServices(QueryParams.DEFAULT, token).getValue().get("web"), List.of("a"));
  }

  private void waits() throws Exception {
    var request = HealthServicesRequest.newBuilder().setToken(token);
    long index = client.getHealthServices("web", request.build()).getConsulIndex();
    var later = CompletableFuture.supplyAsync(() -> passing(new QueryParams(60, index)).size());
    client.agentCheckFail("service:w1", "", token);
    Trials.is(later.get(30, TimeUnit.SECONDS), 0);
    client.agentCheckPass("service:w1", "", token);
  }

  private void locks() {
    NewSession session = new NewSession();
    session.setTtl("30s");
    String id = client.sessionCreate(session, QueryParams.DEFAULT, token).getValue();
    PutParams acquire = new PutParams();
    acquire.setAcquireSession(id);
    Trials.is(client.setKVValue("leader", "one", token, acquire).getValue(), true);
    Trials.is(client.getKVValue("leader", token).getValue().getSession(), id);
    client.sessionDestroy(id, QueryParams.DEFAULT, token);
    Trials.is(client.getKVValue("leader", token).getValue().getDecodedValue(), "one");
  }

  private void events() {
    QueryParams parameters = QueryParams.DEFAULT;
    String id = client.eventFire("deploy", "v2", new EventParams(), parameters).getValue().getId();
    Trials.is(client.eventList("deploy", parameters).getValue().get(0).getId(), id);
  }
}

class KiwiTrials {
  private final Consul client;

  KiwiTrials(String url, String token) {
    this.client = Consul.builder().withUrl(url).withTokenAuth(token).withReadTimeoutMillis(90_000).build();
  }

  Map<String, Trials.Trial> all() {
    Map<String, Trials.Trial> trials = new LinkedHashMap<>();
    trials.put("services and checks", this::services);
    trials.put("a cache of healthy instances follows their checks", this::cache);
    trials.put("sessions and leader election", this::election);
    trials.put("prepared queries and events", this::queries);
    return trials;
  }

  private int healthy() {
    return client.healthClient().getHealthyServiceInstances("web").getResponse().size();
  }

  private void services() throws Exception {
    AgentClient agent = client.agentClient();
    agent.ping();
    for (String id : List.of("w1", "w2")) {
      agent.register(80, RegCheck.ttl(3600), "web", id, List.of("a"), Map.of("version", "1"));
      agent.pass(id);
    }
    Trials.is(agent.isRegistered("w1"), true);
    Trials.is(healthy(), 2);
    agent.fail("w2");
    Trials.is(healthy(), 1);
    agent.toggleMaintenanceMode("w1", true, "upgrade");
    Trials.is(healthy(), 0);
    agent.toggleMaintenanceMode("w1", false);
    agent.pass("w2");
    Trials.is(client.catalogClient().getService("web").getResponse().size(), 2);
  }

  private void cache() throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    CountDownLatch reduced = new CountDownLatch(1);
    try (ServiceHealthCache cache = ServiceHealthCache.newCache(client.healthClient(), "web")) {
      cache.addListener(
          instances -> {
            if (instances.size() == 2) full.countDown();
            else if (full.getCount() == 0) reduced.countDown();
          });
      cache.start();
      Trials.is(full.await(20, TimeUnit.SECONDS), true);
      client.agentClient().fail("w2");
      Trials.is(reduced.await(20, TimeUnit.SECONDS), true);
    }
    client.agentClient().pass("w2");
  }

  private void election() throws Exception {
    var session = ImmutableSession.builder().name("one").addChecks("serfHealth", "service:w1");
    String first = client.sessionClient().createSession(session.build()).getId();
    var other = ImmutableSession.builder().name("two").build();
    String second = client.sessionClient().createSession(other).getId();
    Trials.is(client.keyValueClient().acquireLock("leader", "one", first), true);
    Trials.is(client.keyValueClient().acquireLock("leader", "two", second), false);
    client.agentClient().fail("w1");
    Trials.is(client.keyValueClient().getSession("leader").isPresent(), false);
    Trials.is(client.sessionClient().listSessions().size(), 1);
    client.agentClient().pass("w1");
  }

  private void queries() {
    var service = ImmutableServiceQuery.builder().service("web").onlyPassing(true).build();
    var query = ImmutablePreparedQuery.builder().name("all").service(service).build();
    String id = client.preparedQueryClient().createPreparedQuery(query);
    Trials.is(client.preparedQueryClient().execute(id).nodes().size(), 2);
    client.preparedQueryClient().deletePreparedQuery(id);
    String event = client.eventClient().fireEvent("deploy", "v2").getId();
    Trials.is(client.eventClient().listEvents("deploy").getEvents().get(0).getId(), event);
  }
}
