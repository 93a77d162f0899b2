package pages

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/lti"
)

// ltiCookie is the name of the cookie that binds a launch to the browser.
const ltiCookie = "otisk_lti"

// CrossOrigin returns the protection from requests of other sites. Learning platforms send two forms:
// they start a launch, which anybody may, and end it, which the cookie, the state and the signature of
// the platform protect.
func CrossOrigin() *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	p.AddInsecureBypassPattern("POST " + lti.LoginPath)
	p.AddInsecureBypassPattern("POST " + lti.LaunchPath)
	return p
}

// setLaunch sets the cookie of a launch, which comes back in a form of another site, perhaps in a frame:
// such a cookie is Secure, and Partitioned where browsers refuse those of third parties.
func (v *visit) setLaunch(value string, age int) {
	http.SetCookie(v.w, &http.Cookie{Name: ltiCookie, Value: value, Path: "/lti/", MaxAge: age, HttpOnly: true, Secure: true, SameSite: http.SameSiteNoneMode, Partitioned: true})
}

// framed reports whether the browser shows the answer in a frame.
func (v *visit) framed() bool {
	dest := v.Header.Get("Sec-Fetch-Dest")
	return dest == "iframe" || dest == "frame"
}

// allowFrames lets the pages of a platform show the answer in a frame, and no others.
func (v *visit) allowFrames(p *desk.Platform) {
	v.setPolicy("frame-ancestors 'none'", "frame-ancestors "+strings.Join(p.Origins(), " "))
}

// setPolicy changes the Content-Security-Policy of the answer.
func (v *visit) setPolicy(from, to string) {
	h := v.w.Header()
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), from, to, 1))
}

// ltiKeys sends the public key of this server for learning platforms.
func ltiKeys(v *visit) error {
	key, err := v.s.Desk.PlatformKey(v.Context())
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(key.Public())
}

// launchParameters are those of a login initiation that are used.
var launchParameters = []string{"iss", "client_id", "login_hint", "lti_message_hint", "target_link_uri"}

// startLaunch answers a login initiation. In a frame, only deep linking continues, which needs no
// session: other pages open in a new window, since browsers keep no session in a frame of another site.
func startLaunch(v *visit) error {
	if err := v.ParseForm(); err != nil {
		return errors.Join(errBadRequest, err)
	}
	query := url.Values{}
	for _, name := range launchParameters {
		query.Set(name, v.FormValue(name))
	}
	p, err := v.s.Desk.FindPlatform(v.Context(), query.Get("iss"), query.Get("client_id"))
	if err != nil {
		return v.notLaunched(err)
	}
	v.allowFrames(p)
	if v.framed() && !v.s.LTI.IsSelect(query.Get("target_link_uri")) {
		return v.show("frame", p.Name, lti.LoginPath+"?"+query.Encode())
	}
	key, err := v.s.Desk.PlatformKey(v.Context())
	if err != nil {
		return err
	}
	address, cookie, err := v.s.LTI.Start(key, p.Tool(), query)
	if err != nil {
		return v.notLaunched(err)
	}
	v.setLaunch(cookie, int(lti.FlowLife/time.Second))
	return v.goTo(address)
}

// finishLaunch signs the user of a launch in, or shows what he can link.
func finishLaunch(v *visit) error {
	key, err := v.s.Desk.PlatformKey(v.Context())
	if err != nil {
		return err
	}
	var cookie string
	if c, err := v.Cookie(ltiCookie); err == nil {
		cookie = c.Value
	}
	v.setLaunch("", -1)
	flow, err := v.s.LTI.Flow(key, v.PostFormValue("state"), cookie)
	if err != nil {
		return v.notLaunched(err)
	}
	p, err := v.s.Desk.PlatformOf(v.Context(), flow.Platform)
	if err != nil {
		return v.notLaunched(err)
	}
	v.allowFrames(p)
	if v.PostFormValue("id_token") == "" {
		return v.notLaunched(lti.ErrRefused)
	}
	l, err := v.s.LTI.Verify(v.Context(), p.Tool(), flow, v.PostFormValue("id_token"))
	if err != nil {
		return v.notLaunched(err)
	}
	actor, session, err := v.s.Desk.Launch(v.Context(), l)
	switch {
	case err != nil:
		return v.notLaunched(err)
	case l.Select != nil:
		s := &lti.Selection{Select: *l.Select, Platform: l.Platform.ID, User: actor.User, Expires: time.Now().Add(lti.FlowLife)}
		return v.offer(key.Seal("selection", s), s, actor)
	case v.framed():
		return v.notLaunched(lti.ErrFlow) // a browser keeps no session there
	}
	return v.begin(session, launched(l))
}

// launched returns the path of the page that a launch opens.
func launched(l *lti.Launch) string {
	switch {
	case l.Role == accounts.Student && l.Check != "":
		return "/own/texts/" + l.Check
	case l.Role == accounts.Student:
		return "/own"
	case l.Reported:
		return "/checks/" + l.Check + "/report"
	case l.Check != "":
		return "/checks/" + l.Check
	case l.Course != "":
		return "/courses/" + l.Course
	}
	return "/courses"
}

// ltiRefusals are the errors of launches with their statuses.
var ltiRefusals = []struct {
	err    error
	status int
}{
	{lti.ErrFlow, http.StatusBadRequest}, {lti.ErrTarget, http.StatusBadRequest}, {lti.ErrLaunch, http.StatusForbidden}, {lti.ErrRefused, http.StatusForbidden},
	{lti.ErrNoRole, http.StatusForbidden}, {lti.ErrServices, http.StatusForbidden}, {lti.ErrPlatform, http.StatusForbidden}, {desk.ErrDisabled, http.StatusForbidden}, {desk.ErrNotFound, http.StatusNotFound},
}

// notLaunched shows why a launch was refused, and logs the cause.
func (v *visit) notLaunched(err error) error {
	for _, r := range ltiRefusals {
		if errors.Is(err, r.err) {
			v.s.Log.Warn("launch refused", "cause", err, "address", v.s.Address(v.Request))
			v.status = r.status
			return v.show("launch-error", v.lang.Text("web.failed"), v.lang.Err(r.err))
		}
	}
	return err
}

// A selectPage is the data of the page on which a teacher chooses what to link.
type selectPage struct {
	settingChoices
	Sealed  string // lti.Selection
	Name    string // of a new course for an asset processor
	Courses []desk.Course
	Checks  []desk.Check
}

// checksOffered is the number of checks that can be linked, the latest ones.
const checksOffered = 100

// offer shows what a teacher can link or, for an asset processor, the courses to which submissions may
// go.
func (v *visit) offer(sealed string, s *lti.Selection, a accounts.Actor) (err error) {
	p := selectPage{Sealed: sealed}
	if p.Courses, err = v.s.Desk.Courses(v.Context(), a); err != nil {
		return err
	}
	if s.Processor {
		if p.Name, err = v.s.Desk.UnusedName(v.Context(), a, s.Assignment(), s.Title); err != nil {
			return err
		}
		if p.settingChoices, err = v.settingChoices(a); err != nil {
			return err
		}
		return v.show("processor", v.lang.Text("lti.processor"), p)
	}
	if p.Checks, _, err = v.s.Desk.Checks(v.Context(), a, desk.Filter{State: "done", Limit: checksOffered}); err != nil {
		return err
	}
	return v.show("select", v.lang.Text("lti.select"), p)
}

// selection returns the selection of a form, its platform and its user. The right to it is in the sealed text of the
// form, since a frame has no session.
func (v *visit) selection(key *lti.Key) (s *lti.Selection, p *desk.Platform, a accounts.Actor, err error) {
	s = new(lti.Selection)
	if err = key.Open("selection", v.PostFormValue("sealed"), s); err != nil {
		return nil, nil, a, err
	}
	if p, err = v.s.Desk.PlatformOf(v.Context(), s.Platform); err != nil {
		return nil, nil, a, err
	}
	v.allowFrames(p)
	a, err = v.s.Desk.Selecting(v.Context(), s)
	return s, p, a, err
}

// showSelection shows the form of a selection again.
func showSelection(v *visit) error {
	key, err := v.s.Desk.PlatformKey(v.Context())
	if err != nil {
		return err
	}
	s, _, a, err := v.selection(key)
	if err != nil {
		return err
	}
	return v.offer(v.PostFormValue("sealed"), s, a)
}

// A responsePage is the data of the page that sends a choice to the platform.
type responsePage struct{ Address, Token string }

// chooseLink sends the platform a link to the course or check that a teacher has chosen.
func chooseLink(v *visit) error {
	key, err := v.s.Desk.PlatformKey(v.Context())
	if err != nil {
		return err
	}
	s, p, a, err := v.selection(key)
	if err != nil {
		return v.notLaunched(err)
	}
	items, err := v.chosenItems(a, s, p)
	if err != nil {
		return v.notLaunched(err)
	}
	token, err := key.Respond(p.Tool(), &s.Select, items)
	if err != nil {
		return err
	}
	u, err := url.Parse(s.Return)
	if err != nil {
		return err
	}
	v.setPolicy("form-action 'self'", "form-action 'self' "+u.Scheme+"://"+u.Host)
	return v.show("respond", v.lang.Text("lti.select"), responsePage{s.Return, token})
}

// newCourseChoice is the value of the choice of a new course for an asset processor.
const newCourseChoice = "new"

// chosenItems returns the link to a course or check of the actor's group: "course ID", "check ID", or
// none for "". An asset processor for a course is one, too; its course may be new.
func (v *visit) chosenItems(a accounts.Actor, s *lti.Selection, p *desk.Platform) ([]lti.Item, error) {
	chosen := v.PostFormValue("link")
	if s.Processor && chosen != "" {
		return v.processor(a, s, p)
	}
	kind, id, _ := strings.Cut(chosen, " ")
	address := v.s.LTI.Address(lti.LinkPath) + "?" + url.Values{kind: {id}}.Encode()
	switch kind {
	case "":
		return nil, nil
	case "course":
		c, _, err := v.s.Desk.Course(v.Context(), a, id)
		if err != nil {
			return nil, err
		}
		return []lti.Item{{Title: c.Name, Address: address}}, nil
	case "check":
		c, err := v.s.Desk.Check(v.Context(), a, id)
		if err != nil {
			return nil, err
		}
		return []lti.Item{{Title: c.Path, Address: address}}, nil
	}
	return nil, desk.ErrNotFound
}

// processor returns the asset processor for a course, which it creates if the user chooses a new one,
// after the platform has accepted the address for its notices.
func (v *visit) processor(a accounts.Actor, s *lti.Selection, p *desk.Platform) ([]lti.Item, error) {
	if err := v.s.Desk.Register(v.Context(), p, s.Notices, v.s.LTI.Address(lti.NoticePath+p.ID)); err != nil {
		return nil, err
	}
	id, found := strings.CutPrefix(v.PostFormValue("link"), "course ")
	if v.PostFormValue("link") == newCourseChoice {
		form, err := api.SubmissionOf(api.FormOf(v.PostForm))
		if err != nil {
			return nil, err
		}
		c := desk.CourseChange{Name: v.PostFormValue("name"), Ends: time.Now()} // so that each text is checked when it arrives
		id, err = v.s.Desk.NewCourse(v.Context(), a, desk.NewCourse{CourseChange: c, Collections: v.PostForm["collection"], Among: form.Among, PresetID: form.PresetID, Settings: form.Preset, Assignment: s.Assignment()})
		if err != nil {
			return nil, err
		}
	} else if !found {
		return nil, desk.ErrNotFound
	}
	c, _, err := v.s.Desk.Course(v.Context(), a, id)
	if err != nil {
		return nil, err
	}
	return []lti.Item{{Title: "Otisk: " + c.Name, Address: v.s.LTI.Address(lti.LinkPath), Course: id, Language: v.lang.Tag()}}, nil
}

func knowPlatform(v *visit) error {
	_, err := v.s.Desk.PlatformOf(v.Context(), v.PathValue("id"))
	if errors.Is(err, lti.ErrPlatform) {
		return desk.ErrForbidden
	}
	return err
}

// receiveNotices stores the notices of a platform. Those that are not valid do not keep the others: most
// platforms send a notice once.
func receiveNotices(v *visit) error {
	var in struct {
		Notices []struct {
			JWT string `json:"jwt"`
		} `json:"notices"`
	}
	if err := json.NewDecoder(v.Body).Decode(&in); err != nil || len(in.Notices) == 0 {
		return errors.Join(errBadRequest, err)
	}
	p, err := v.s.Desk.PlatformOf(v.Context(), v.PathValue("id"))
	if err != nil {
		return v.notLaunched(err)
	}
	for _, n := range in.Notices {
		err = errors.Join(err, v.receiveNotice(p.Tool(), n.JWT))
	}
	if err != nil {
		return v.notLaunched(err)
	}
	return nil
}

func (v *visit) receiveNotice(p *lti.Platform, token string) error {
	n, err := v.s.LTI.VerifyNotice(v.Context(), p, token)
	if err != nil || n == nil {
		return err
	}
	return v.s.Desk.StoreNotice(v.Context(), p, n)
}

// A platformsPage is the data of the page of learning platforms.
type platformsPage struct {
	Platforms []desk.Platform
	Change    *desk.Platform // in the form, nil for a new one
	Addresses []platformAddress
	Keys      []desk.PlatformKey
}

// A platformAddress is an address of this server that a platform asks for.
type platformAddress struct{ Name, Address string }

func showPlatforms(v *visit) (err error) {
	p := platformsPage{Change: &desk.Platform{}}
	for _, a := range []struct{ message, path string }{
		{"lti.address-link", lti.LinkPath}, {"lti.address-login", lti.LoginPath}, {"lti.address-launch", lti.LaunchPath}, {"lti.address-select", lti.SelectPath}, {"lti.address-keys", lti.KeysPath},
	} {
		p.Addresses = append(p.Addresses, platformAddress{v.lang.Text(a.message), v.s.LTI.Address(a.path)})
	}
	if p.Platforms, err = v.s.Desk.Platforms(v.Context(), v.actor); err != nil {
		return err
	}
	if p.Keys, err = v.s.Desk.PlatformKeys(v.Context(), v.actor); err != nil {
		return err
	}
	for i := range p.Platforms {
		if p.Platforms[i].ID == cmp.Or(v.PathValue("id"), v.FormValue("change")) {
			p.Change = &p.Platforms[i]
		}
	}
	return v.show("platforms", v.lang.Text("lti.platforms"), p)
}

func savePlatform(v *visit) error {
	_, err := v.s.Desk.SavePlatform(v.Context(), v.actor, v.PathValue("id"), desk.NewPlatform{
		Name: v.PostFormValue("name"), Issuer: v.PostFormValue("issuer"), Client: v.PostFormValue("client"), AuthURL: v.PostFormValue("auth_url"), KeysURL: v.PostFormValue("keys_url"), TokenURL: v.PostFormValue("token_url"),
		Deployments: strings.Fields(v.PostFormValue("deployments")), Frames: strings.Fields(v.PostFormValue("frames")),
	})
	return v.after(err, "/platforms")
}

func newPlatformKey(v *visit) error {
	return v.after(v.s.Desk.RotatePlatformKey(v.Context(), v.actor, v.PostFormValue("stolen") != ""), "/platforms")
}
