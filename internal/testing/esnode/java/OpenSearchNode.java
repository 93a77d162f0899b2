import java.nio.file.Path;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/**
 * Runs one OpenSearch node until its standard input ends, so that it never
 * outlives whoever started it, nor do its data. Arguments: a folder that is not used, the folder
 * of this node, then settings as name=value.
 */
public class OpenSearchNode {
  public static void main(String[] args) throws Exception {
    OpenSearchRunner runner = new OpenSearchRunner();
    runner.onBuild((number, settings) -> {
      for (int i = 2; i < args.length; i++) {
        String[] pair = args[i].split("=", 2);
        if (pair[1].indexOf(',') < 0) settings.put(pair[0], pair[1]);
        else settings.putList(pair[0], pair[1].split(","));
      }
    });
    runner.build(OpenSearchRunner.newConfigs().basePath(Path.of(args[1]).toString()).numOfNode(1));
    System.out.println("node started");
    while (System.in.read() >= 0) {}
    try { // whoever would remove the data is gone
      new ProcessBuilder("sh", "-c", "sleep 1; rm -rf \"$0\"", args[1]).start();
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }
}
