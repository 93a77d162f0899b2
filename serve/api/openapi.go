package api

import (
	"net/http"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// object is an object of JSON.
type object = map[string]any

// A protocol is a table of routes below a path, and how clients prove who they are.
type protocol struct {
	prefix, title, about string
	routes               []route
	schemes              object
}

// rest is the protocol of the API. Its sessions have a cookie of this name.
func rest(cookie string) *protocol {
	return &protocol{Prefix, "Otisk", "Check texts against collections. Errors are problem details (RFC 9457).", routes, object{
		"token":   object{"type": "http", "scheme": "bearer"},
		"session": object{"type": "apiKey", "in": "cookie", "name": cookie},
	}}
}

// describe returns the OpenAPI 3.1 description of a protocol, made from its routes.
func (p *protocol) describe(version string) object {
	d := &description{schemas: object{}, types: map[string]reflect.Type{}}
	paths := object{}
	for _, r := range p.routes {
		path := p.prefix + strings.TrimSuffix(r.path, "{$}")
		item, _ := paths[path].(object)
		if item == nil {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(r.method)] = d.operation(r)
	}
	return object{
		"openapi":    "3.1.0",
		"info":       object{"title": p.title, "version": version, "description": p.about},
		"paths":      paths,
		"components": object{"schemas": d.schemas, "securitySchemes": p.schemes},
	}
}

// A description collects the schemas of named types.
type description struct {
	schemas object
	types   map[string]reflect.Type // by the names of their schemas
}

// name returns the name of the schema of a type: with that of its package if another type has it.
func (d *description) name(t reflect.Type) string {
	name := t.Name()
	if other := d.types[name]; other != nil && other != t {
		pkg := path.Base(t.PkgPath())
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	d.types[name] = t
	return name
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (d *description) operation(r route) object {
	var params []object
	for _, m := range pathParam.FindAllStringSubmatch(r.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.query {
		params = append(params, object{"name": p.name, "in": "query", "description": p.doc, "schema": p.schema()})
	}
	if r.file {
		params = append(params, object{"name": "Content-Disposition", "in": "header", "description": "name of the file", "schema": object{"type": "string"}})
	}
	if r.form != nil {
		params = append(params, object{"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string", "maxLength": 255}})
	}
	op := object{"summary": r.summary, "operationId": operationID(r), "responses": d.responses(r)}
	if params != nil {
		op["parameters"] = params
	}
	if body := d.body(r); body != nil {
		op["requestBody"] = body
	}
	if !r.open {
		op["security"] = security(r)
	}
	return op
}

// security returns what a client must send: a session, a token if a scope suffices, or the key of an
// integration.
func security(r route) []object {
	if r.tca {
		return []object{{"key": []string{}}}
	}
	list := []object{{"session": []string{}}}
	if scope := accounts.ScopeOf(r.action); scope != "" {
		list = append(list, object{"token": []string{string(scope)}})
	} else if r.action == "" {
		list = append(list, object{"token": []string{}})
	}
	return list
}

// operationID returns a name such as get_checks_id_report.
func operationID(r route) string {
	return strings.ToLower(r.method) + strings.NewReplacer("/", "_", "{", "", "}", "", "$", "").Replace(r.path)
}

func (d *description) body(r route) object {
	switch {
	case r.file:
		return object{"required": true, "content": object{"application/octet-stream": object{"schema": object{"type": "string", "contentMediaType": "application/octet-stream"}}}}
	case r.form != nil:
		fields := object{"file": object{"type": "array", "items": object{"type": "string", "contentMediaType": "application/octet-stream"}}}
		for _, p := range r.form {
			fields[p.name] = p.schema()
			fields[p.name].(object)["description"] = p.doc
		}
		return object{"required": true, "content": object{"multipart/form-data": object{"schema": object{"type": "object", "properties": fields, "required": []string{"file"}}}}}
	case r.in != nil:
		return object{"required": true, "content": object{"application/json": object{"schema": d.schema(reflect.TypeOf(r.in))}}}
	}
	return nil
}

func (d *description) responses(r route) object {
	ok := object{"description": http.StatusText(r.status())}
	if r.out != nil {
		ok["content"] = object{"application/json": object{"schema": d.schema(reflect.TypeOf(r.out))}}
	}
	if len(r.types) > 0 {
		content, _ := ok["content"].(object)
		if content == nil {
			content = object{}
			ok["content"] = content
		}
		for _, kind := range r.types {
			content[kind] = object{"schema": object{"type": "string"}}
		}
	}
	all := object{strconv.Itoa(r.status()): ok}
	kind, failure := "application/problem+json", reflect.TypeFor[Problem]()
	if r.tca {
		kind, failure = "application/json", reflect.TypeFor[Refused]()
	}
	for _, status := range append(r.problems(), r.fails...) {
		all[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": object{kind: object{"schema": d.schema(failure)}}}
	}
	return all
}

// problems returns the statuses with which a request can fail, other than faults of the server.
func (r *route) problems() (list []int) {
	body := r.in != nil || r.form != nil || r.file
	for _, p := range []struct {
		status int
		can    bool
	}{
		{http.StatusBadRequest, body || r.query != nil},
		{http.StatusUnauthorized, !r.open || r.in != nil},
		{http.StatusForbidden, true}, // another origin, or the rights of the user
		{http.StatusNotFound, strings.Contains(r.path, "{") || r.open && r.in != nil},
		{http.StatusConflict, r.method != http.MethodGet},
		{http.StatusRequestEntityTooLarge, body},
		{http.StatusUnprocessableEntity, (body || r.query != nil) && !r.tca},
		{http.StatusTooManyRequests, r.open && r.in != nil},
		{http.StatusNotImplemented, slices.Contains(r.types, pdfType)},
		{http.StatusInsufficientStorage, r.method != http.MethodGet},
	} {
		if p.can {
			list = append(list, p.status)
		}
	}
	return list
}

// enums are the values of named types.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[accounts.Role]():   texts(accounts.AllRoles()),
	reflect.TypeFor[accounts.Scope]():  texts(accounts.Scopes()),
	reflect.TypeFor[accounts.Action](): texts(accounts.Actions()),
}

// queries are the values of parameters, by name.
var queries = map[string][]string{
	"state":   {"", work.Waiting, work.Queued, work.Running, work.Done, work.Failed, work.Cancelled},
	"verdict": append([]string{"", "none"}, report.Verdicts...),
	"case":    append([]string{""}, desk.CaseStates()...),
	"sort":    {"", "created", "-created", "score", "-score", "name", "-name", "words", "-words"},
	"format":  append([]string{""}, report.Formats()...),
}

func texts[T ~string](list []T) (all []string) {
	return lists.Map(list, func(t T) string { return string(t) })
}

// schema returns the JSON schema of a parameter.
func (p *param) schema() object {
	s := object{"type": p.kind}
	if p.kind == "integer" {
		s["minimum"] = 0
	}
	if values := queries[p.name]; values != nil {
		s["enum"] = values
	}
	return s
}

// schema returns the JSON schema of a type. Named structs are referred to by name.
func (d *description) schema(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.String:
		if values := enums[t]; values != nil {
			return object{"type": "string", "enum": values}
		}
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return object{"type": "string", "format": "date-time"}
		}
		if t.Name() == "" {
			return d.structSchema(t)
		}
		name := d.name(t)
		if d.schemas[name] == nil {
			d.schemas[name] = object{} // in case it refers to itself
			d.schemas[name] = d.structSchema(t)
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	return object{"type": "object"}
}

func (d *description) structSchema(t reflect.Type) object {
	properties := object{}
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || name == "" {
			continue
		}
		property := d.schema(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			property["description"] = doc
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			property["enum"] = strings.Split(enum, ",")
		}
		for tag, keyword := range map[string]string{"min": "minLength", "max": "maxLength"} {
			if n, err := strconv.Atoi(f.Tag.Get(tag)); err == nil {
				property[keyword] = n
			}
		}
		if f.Type.Kind() == reflect.Pointer && options == "" {
			property = object{"anyOf": []object{property, {"type": "null"}}}
		}
		properties[name] = property
		if options == "" {
			required = append(required, name)
		}
	}
	s := object{"type": "object", "properties": properties}
	if required != nil {
		s["required"] = required
	}
	return s
}
