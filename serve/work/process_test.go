package work

import (
	"slices"
	"testing"
)

// TestEnvironment: jobs, which read files of strangers, have no secrets but those of the cluster.
func TestEnvironment(t *testing.T) {
	secrets := []string{"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "OTISK_OIDC_SECRET", "OTISK_SMTP_PASSWORD", "OTISK_METRICS_TOKEN", "PGPASSWORD"}
	for _, name := range append([]string{"ELASTICSEARCH_PASSWORD"}, secrets...) {
		t.Setenv(name, "geheim")
	}
	got := environment()
	if !slices.Contains(got, "ELASTICSEARCH_PASSWORD=geheim") {
		t.Error("the environment of jobs lacks ELASTICSEARCH_PASSWORD")
	}
	for _, name := range secrets {
		if slices.Contains(got, name+"=geheim") {
			t.Errorf("the environment of jobs has %s", name)
		}
	}
}
