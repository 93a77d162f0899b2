"""Launch otisk serve from a platform of the library lti1p3platform, as the browser of its users would.

The only argument is the address with the one-time link that the server has printed."""

import html
import http.server
import json
import re
import sys
import threading
import urllib.parse

import requests
from jwcrypto.jwk import JWK
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration

server, secret = re.match(r"(http://[^/]*)/.*secret=(\w+)", sys.argv[1]).groups()
api = server + "/api/v1"
key = JWK.generate(kty="RSA", size=2048)
membership = "http://purl.imsglobal.org/vocab/lis/v2/membership#"


class Keys(http.server.BaseHTTPRequestHandler):
    """The key set of the platform."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(Platform().get_jwks()).encode())

    def log_message(self, *_):
        pass


site = http.server.HTTPServer(("127.0.0.1", 0), Keys)
threading.Thread(target=site.serve_forever, daemon=True).start()
platform = "http://127.0.0.1:%d" % site.server_port


class Platform(LTI1P3PlatformConfAbstract):
    def init_platform_config(self, **_):
        r = Registration().set_iss(platform).set_client_id("otisk").set_deployment_id("1").set_oidc_login_url(server + "/lti/login")
        r.set_platform_public_key(key.export_to_pem().decode()).set_platform_private_key(key.export_to_pem(True, None).decode())
        r.set_deeplink_launch_url(server + "/lti/select").set_tool_key_set_url(server + "/lti/keys")
        self._registration = r

    def get_registration_by_params(self, **_):
        return self._registration


class Login(OIDCLoginAbstract):
    def set_lti_message_hint(self, **kwargs):
        self._lti_message_hint = kwargs["hint"]

    def get_redirect(self, url):
        return url


class Request:
    def __init__(self, query):
        self.get_data, self.form_data = query, {}


class Launch(LTIAdvantageMessageLaunchAbstract):
    def render_launch_form(self, launch_data, **_):
        return launch_data


def launch(target, role, user, deep=False):
    """Goes through a launch and returns the session of the browser and the answer."""
    browser, config = requests.Session(), Platform()
    login = Login(None, config).set_launch_url(target)
    login.set_lti_message_hint(hint="activity-1")
    answer = browser.get(login.initiate_login(user), allow_redirects=False)
    assert answer.status_code == 303, answer.text
    cookie = re.match(r"otisk_lti=(\w+);.*HttpOnly; Secure; SameSite=None; Partitioned", answer.headers["Set-Cookie"]).group(1)
    asked = urllib.parse.urlsplit(answer.headers["Location"])
    message = Launch(Request(dict(urllib.parse.parse_qsl(asked.query))), config).set_launch_url(target)
    message.set_user_data(user, [membership + role], full_name=user.title(), email_address=user + "@example.org")
    if deep:
        message.set_dl(platform + "/return", extra_data={"csrf": 7})
    else:
        message.set_resource_link_claim("link-1")
    form = message.lti_launch()
    answer = browser.post(form["launch_url"], {"id_token": form["id_token"], "state": form["state"]}, headers={"Cookie": "otisk_lti=" + cookie}, allow_redirects=False)
    return browser, answer


admin = requests.Session()


def call(method, path, body):
    answer = admin.request(method, api + path, json=body)
    assert answer.ok, answer.text
    return answer.json() if answer.text else None


call("POST", "/first", {"link": secret, "login": "admin", "name": "A", "password": "correct horse battery"})
call("POST", "/platforms", {"name": "Platform", "issuer": platform, "client": "otisk", "auth_url": platform + "/auth", "keys_url": platform + "/keys", "deployments": ["1"]})
collection = call("POST", "/collections", {"name": "Theses"})["id"]
course = call("POST", "/courses", {"name": "Essays", "ends": "2099-12-01T12:00:00Z", "collections": [collection], "among": True})["id"]

browser, answer = launch(server + "/lti/select", "Instructor", "teacher", deep=True)
assert "sealed" in answer.text, answer.text
sealed = html.unescape(re.search(r'name="sealed" value="([^"]*)"', answer.text).group(1))
answer = browser.post(server + "/lti/select", {"sealed": sealed, "link": "course " + course})
items = Platform().validate_deeplinking_resp({"JWT": re.search(r'name="JWT" value="([^"]*)"', answer.text).group(1)})
assert items == [{"type": "ltiResourceLink", "title": "Essays", "url": server + "/lti/open?course=" + course}], items

browser, answer = launch(items[0]["url"], "Instructor", "teacher")
assert answer.headers.get("Location") == "/courses/" + course, answer.text
assert browser.get(server + "/courses/" + course).ok
browser, answer = launch(items[0]["url"], "Learner", "student")
assert answer.headers.get("Location") == "/own", answer.text
answer = browser.post(server + "/own/courses/" + course, files={"file": ("essay.txt", "some words")})
assert answer.ok and "essay.txt" in answer.text, answer.text
assert browser.get(server + "/courses/" + course).status_code == 403
users = {u["login"]: u for u in call("GET", "/users", None)}
assert users["teacher@example.org"]["role"] == "checker" and users["student@example.org"]["role"] == "student", users
print("passed: a deep link, a launch of a teacher, and one of a student who hands a text in")
