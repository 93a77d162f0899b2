{{- $pages := .Site.Pages -}}
{{- if ne .Language.Lang "en" }}{{ with (index (where hugo.Sites "Language.Lang" "en") 0).GetPage "/docs" }}{{ $pages = $pages | union .Pages }}{{ end }}{{ end -}}
{{- $parts := slice -}}
{{- range $pages -}}
  {{- $title := trim (partial "title.html" .) " \n" -}}
  {{- $url := .RelPermalink -}}
  {{- range $i, $part := split (replaceRE `(?m)^##+ ` "\x00" .RawContent) "\x00" -}}
    {{- $lines := split $part "\n" -}}
    {{- $heading := cond (eq $i 0) "" (index $lines 0 | replaceRE "[`*]" "") -}}
    {{- $anchor := cond (eq $i 0) "" (printf "#%s" (anchorize $heading)) -}}
    {{- $text := cond (eq $i 0) $part (delimit (after 1 $lines) "\n") -}}
    {{- $parts = $parts | append (dict "title" $title "heading" $heading "url" (printf "%s%s" $url $anchor) "text" ($text | strings.TrimSpace)) -}}
  {{- end -}}
{{- end -}}
const otiskWords = {{ $parts | jsonify }};
