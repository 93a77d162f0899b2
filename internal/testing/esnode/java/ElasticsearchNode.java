import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * Runs one Elasticsearch node until its standard input ends, so that it never
 * outlives whoever started it, nor do its data. Arguments: the folder with the modules, the
 * folder of this node, then settings as name=value.
 */
public class ElasticsearchNode {
  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]), own = Path.of(args[1]);
    for (String dir : List.of("config", "data", "logs")) {
      Files.createDirectories(own.resolve(dir));
    }
    Settings.Builder settings = Settings.builder()
        .put("path.home", home.toString())
        .put("path.data", own.resolve("data").toString())
        .put("path.logs", own.resolve("logs").toString());
    for (int i = 2; i < args.length; i++) {
      String[] pair = args[i].split("=", 2);
      if (pair[1].indexOf(',') < 0) settings.put(pair[0], pair[1]);
      else settings.putList(pair[0], pair[1].split(","));
    }
    Environment env = new Environment(settings.build(), own.resolve("config"));
    LogConfigurator.registerErrorListener();
    LogConfigurator.configureWithoutConfig(env.settings());
    Node node = new Node(env, PluginsLoader.createPluginsLoader(modules(env), Set.of(), Map.of(), false));
    node.start();
    System.out.println("node started");
    while (System.in.read() >= 0) {}
    try { // whoever would remove the data is gone
      new ProcessBuilder("sh", "-c", "sleep 1; rm -rf \"$0\"", own.toString()).start();
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }

  /** The loader of modules takes one argument in version 8 and two in 9. */
  @SuppressWarnings("unchecked")
  private static Set<org.elasticsearch.plugins.PluginBundle> modules(Environment env) throws Exception {
    for (Method m : PluginsLoader.class.getMethods()) {
      if (!m.getName().equals("loadModulesBundles")) continue;
      List<Object> given = new ArrayList<>();
      for (Class<?> type : m.getParameterTypes()) given.add(type == Path.class ? modulesDir(env) : (Object) true);
      return (Set<org.elasticsearch.plugins.PluginBundle>) m.invoke(null, given.toArray());
    }
    throw new NoSuchMethodException("PluginsLoader.loadModulesBundles");
  }

  private static Path modulesDir(Environment env) {
    return env.modulesDir();
  }
}
