//go:build unix

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A fault is one change of the code, compiled in and switched off.
type fault struct {
	number int
	place  token.Position
	kind   string
	code   string // the expression or statement before the change

	outcome outcome
}

// An outcome of a fault is whether tests execute its code, and whether one fails.
type outcome string

const (
	notReached outcome = "not reached"
	notNoticed outcome = "not noticed"
	noticed    outcome = "noticed"
)

// An edit replaces the bytes [at, end) of a file. Of several edits at one offset, later ones come
// first if they open an expression, and last if they close it.
type edit struct {
	at, end int
	text    string
	closes  bool
	order   int
}

// A planter puts faults into the files of one package.
type planter struct {
	pkg    *packages.Package
	source []byte
	base   token.Pos // of the first byte of source
	edits  []edit
	faults []fault
}

// plant returns the files of a package with all faults in them, by path.
func plant(pkg *packages.Package) (map[string][]byte, []fault, error) {
	p := &planter{pkg: pkg}
	files := map[string][]byte{}
	for i, f := range pkg.Syntax {
		path := pkg.CompiledGoFiles[i]
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		p.source, p.base, p.edits = source, pkg.Fset.File(f.Pos()).Pos(0), nil
		p.file(f)
		if len(p.edits) > 0 {
			p.insert(f.Name.End(), "; import switched "+fmt.Sprintf("%q", switchedPath), false)
			files[path] = p.apply()
		}
	}
	return files, p.faults, nil
}

// file plants faults in a file.
func (p *planter) file(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR // constants are needed while compiling
		case *ast.BinaryExpr:
			p.binary(n)
		case *ast.ReturnStmt:
			p.returned(n)
		case *ast.BlockStmt:
			p.statements(n.List)
		case *ast.CaseClause:
			p.statements(n.Body)
		case *ast.CommClause:
			p.statements(n.Body)
		case *ast.IfStmt:
			p.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				p.condition(n.Cond)
			}
		}
		return true
	})
}

// condition negates a condition other than a comparison; binary negates comparisons.
func (p *planter) condition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr, *ast.ParenExpr:
		return
	default:
		if p.pkg.TypesInfo.Types[e].Value == nil {
			p.wrap(e, "((", ") != switched.On(%d))", "negated")
		}
	}
}

// arithmetic has the functions of package switched that calculate, or miscalculate.
var arithmetic = map[token.Token]string{token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Quo"}

// binary plants faults in comparisons and calculations.
func (p *planter) binary(e *ast.BinaryExpr) {
	if p.pkg.TypesInfo.Types[e].Value != nil {
		return
	}
	x, y := p.text(e.X), p.text(e.Y)
	switch e.Op {
	case token.EQL, token.NEQ:
		p.wrap(e, "((", ") != switched.On(%d))", "negated")
	case token.LSS, token.GTR:
		p.wrap(e, "(", " != switched.On(%d))", "negated") // outside of the next one
		p.wrap(e, "(", fmt.Sprintf(" || switched.On(%%d) && (%s) == (%s))", escape(x), escape(y)), "boundary")
	case token.LEQ, token.GEQ:
		p.wrap(e, "(", " != switched.On(%d))", "negated")
		p.wrap(e, "(", fmt.Sprintf(" && !(switched.On(%%d) && (%s) == (%s)))", escape(x), escape(y)), "boundary")
	default:
		if f := arithmetic[e.Op]; f != "" && p.calculates(e) {
			k := p.fault(e, strings.ToLower(f)+" inverted")
			p.insert(e.Pos(), fmt.Sprintf("switched.%s(%d, ", f, k), false)
			p.replace(e.OpPos, e.OpPos+token.Pos(len(e.Op.String())), ",")
			p.insert(e.End(), ")", true)
		}
	}
}

// escape returns code as part of a format.
func escape(code string) string { return strings.ReplaceAll(code, "%", "%%") }

// calculates reports whether both operands are of one numeric type, or one of them
// is a constant.
func (p *planter) calculates(e *ast.BinaryExpr) bool {
	t := p.pkg.TypesInfo.Types[e].Type
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsInteger|types.IsFloat) == 0 || basic.Info()&types.IsUntyped != 0 {
		return false
	}
	typed := false
	for _, x := range []ast.Expr{e.X, e.Y} {
		value := p.pkg.TypesInfo.Types[x]
		if value.Value == nil && hasShift(x) {
			return false // a shifted untyped constant gets its type from the context
		}
		typed = typed || value.Value == nil && types.Identical(value.Type, t)
	}
	return typed
}

func hasShift(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		found = found || ok && (b.Op == token.SHL || b.Op == token.SHR)
		return !found
	})
	return found
}

// returned replaces the last result of a return statement by nil, if it is an error.
func (p *planter) returned(s *ast.ReturnStmt) {
	if len(s.Results) == 0 {
		return
	}
	last := s.Results[len(s.Results)-1]
	value := p.pkg.TypesInfo.Types[last]
	if value.IsNil() || value.Type == nil || value.Type.String() != "error" {
		return
	}
	k := p.fault(last, "error lost")
	p.insert(last.Pos(), fmt.Sprintf("switched.Err(%d, ", k), false)
	p.insert(last.End(), ")", true)
}

// statements removes or inverts statements of a list.
func (p *planter) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			p.instead(s, p.text(s.X)+map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok], "turned round")
		case *ast.AssignStmt:
			p.assignment(s)
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && p.text(call.Fun) != "panic" {
				p.instead(s, "", "removed")
			}
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				p.instead(s, "", "removed")
			}
		}
	}
}

func (p *planter) assignment(s *ast.AssignStmt) {
	switch s.Tok {
	case token.ASSIGN:
		p.instead(s, "", "removed")
	case token.ADD_ASSIGN, token.SUB_ASSIGN:
		if basic, ok := p.pkg.TypesInfo.Types[s.Lhs[0]].Type.Underlying().(*types.Basic); !ok || basic.Info()&types.IsNumeric == 0 {
			p.instead(s, "", "removed")
			return
		}
		other := map[token.Token]string{token.ADD_ASSIGN: " -= ", token.SUB_ASSIGN: " += "}[s.Tok]
		p.instead(s, p.text(s.Lhs[0])+other+p.text(s.Rhs[0]), "turned round")
	}
}

// instead replaces a statement by other if the fault is on.
func (p *planter) instead(s ast.Stmt, other, kind string) {
	k := p.fault(s, kind)
	p.insert(s.Pos(), fmt.Sprintf("if switched.On(%d) { %s } else { ", k, other), false)
	p.insert(s.End(), " }", true)
}

// wrap puts text around a node; after has a place for the number of the fault.
func (p *planter) wrap(n ast.Node, before, after, kind string) {
	k := p.fault(n, kind)
	p.insert(n.Pos(), before, false)
	p.insert(n.End(), fmt.Sprintf(after, k), true)
}

func (p *planter) fault(n ast.Node, kind string) int {
	k := len(p.faults) + 1
	code, _, more := strings.Cut(p.text(n), "\n")
	if more {
		code += " …"
	}
	p.faults = append(p.faults, fault{number: k, place: p.pkg.Fset.Position(n.Pos()), kind: kind, code: code})
	return k
}

func (p *planter) text(n ast.Node) string {
	return string(p.source[n.Pos()-p.base : n.End()-p.base])
}

func (p *planter) insert(at token.Pos, text string, closes bool) {
	o := int(at - p.base)
	p.edits = append(p.edits, edit{o, o, text, closes, len(p.edits)})
}

func (p *planter) replace(at, end token.Pos, text string) {
	p.edits = append(p.edits, edit{int(at - p.base), int(end - p.base), text, false, len(p.edits)})
}

// apply returns the source with its edits. Nodes are visited from the outside in, and the faults of one node
// from the inside out.
func (p *planter) apply() []byte {
	slices.SortStableFunc(p.edits, func(a, b edit) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.closes != b.closes: // closing edits come before opening ones
			if a.closes {
				return -1
			}
			return 1
		case a.closes:
			return b.order - a.order
		}
		return a.order - b.order
	})
	var out bytes.Buffer
	done := 0
	for _, e := range p.edits {
		out.Write(p.source[done:e.at])
		out.WriteString(e.text)
		done = e.end
	}
	out.Write(p.source[done:])
	return out.Bytes()
}
