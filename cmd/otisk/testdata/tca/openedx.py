"""Runs the client of the Turnitin plugin of Open edX, as it is, with stubs for Django.

Usage: python3 openedx.py FOLDER ADDRESS KEY TEXT-FILE
"""
import importlib
import sys
import time
import types

folder, address, key, file = sys.argv[1:]
conf = types.ModuleType("django.conf")
conf.settings = types.SimpleNamespace(
    TURNITIN_TII_API_URL=address, TURNITIN_TCA_INTEGRATION_FAMILY="openedx", TURNITIN_TCA_INTEGRATION_VERSION="1",
    TURNITIN_TCA_API_KEY=key, TURNITIN_API_TIMEOUT=30)
sys.modules.update({"django": types.ModuleType("django"), "django.conf": conf})
for name in ("platform_plugin_turnitin", "platform_plugin_turnitin.turnitin_client", "platform_plugin_turnitin.turnitin_client.handlers"):
    package = types.ModuleType(name)
    package.__path__ = [folder + "/" + name.replace(".", "/")]
    sys.modules[name] = package
api, eula, reports, submissions = (
    importlib.import_module("platform_plugin_turnitin.turnitin_client.handlers." + name)
    for name in ("api_handler", "eula", "similarity_reports", "submissions"))


def must(response, status):
    if response.status_code != status:
        sys.exit(f"{response.request.method} {response.url}: {response.status_code} {response.text}, want {status}")
    return response.json() if response.headers.get("Content-Type", "").startswith("application/json") else response.content


def until_complete(request):
    for _ in range(600):
        answer = must(request(), 200)
        if answer["status"] != "PROCESSING":
            break
        time.sleep(0.1)
    if answer["status"] != "COMPLETE":
        sys.exit(f"ends as {answer}")
    return answer


must(api.get_features_enabled(), 200)
must(eula.get_eula_version_info(), 200)
must(eula.post_accept_eula_version({"user_id": "5", "accepted_timestamp": "2026-11-28T08:00:00Z", "language": "en-US"}), 200)
must(eula.get_eula_acceptance_by_user("5"), 200)
text = must(submissions.post_create_submission({"owner": 5, "title": "essay.txt", "submitter": 5, "owner_default_permission_set": "LEARNER"}), 201)["id"]
with open(file, "rb") as f:
    must(submissions.put_upload_submission_file_content(text, f), 202)
until_complete(lambda: submissions.get_submission_info(text))
must(reports.put_generate_similarity_report(text, {"indexing_settings": {"add_to_index": True}, "view_settings": {"exclude_quotes": True, "exclude_small_matches": 8}}), 202)
percent = until_complete(lambda: reports.get_similarity_report_info(text))["overall_match_percentage"]
must(reports.post_create_viewer_launch_url(text, {"viewer_user_id": "5", "locale": "en-US", "viewer_default_permission_set": "INSTRUCTOR"}), 200)
pdf = reports.post_generate_similarity_report_pdf(text)
if pdf.status_code != 501:  # no Chromium on the server
    pdf = must(pdf, 202)["id"]
    if must(reports.get_similarity_report_pdf_status(text, pdf), 200)["status"] != "SUCCESS" or not must(reports.get_similarity_report_pdf(text, pdf), 200).startswith(b"%PDF"):
        sys.exit("no PDF")
must(submissions.delete_submission(text), 204)
print(percent)
