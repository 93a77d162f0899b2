<?php
// Runs the class IThenticate of PKP, as it is, with stubs for the classes of OJS that it uses.
// Usage: php ojs.php CLASS-FILE ADDRESS KEY TEXT-FILE
namespace APP\core { class Client { public static $http; } class Application { public static function get() { return new self; } public function getHttpClient() { return Client::$http; } } }
namespace APP\submission { class Submission { public function getCurrentPublication() { return new \Publication; } } }
namespace PKP\author { class Author extends \Thing {} }
namespace PKP\user { class User extends \Thing {} }
namespace PKP\site { class Site { public function getPrimaryLocale() { return 'en'; } } }
namespace PKP\context { class Context { public function getPrimaryLocale() { return 'en'; } } }
namespace PKP\config { class Config { public static function getVar($s, $n, $d = null) { return $d; } } }
namespace Carbon { class Carbon { public static function now() { return new self; } public function toIso8601String() { return date('c'); } } }
namespace {
class Thing { public $id; public function __construct($id) { $this->id = $id; } public function getId() { return $this->id; } public function getGivenName($l) { return 'Ada'; } public function getFamilyName($l) { return 'Nová'; } public function getEmail() { return 'ada@example.org'; } }
class Publication { public function getLocalizedTitle($l = null) { return 'On Foxes'; } public function getData($n) { return 'en'; } public function getPrimaryAuthor() { return new \PKP\author\Author(17); } }
class Items { private $a; public function __construct($a) { $this->a = $a; } public function filter($f) { return new self(array_values(array_filter($this->a, $f))); } public function first() { return $this->a[0] ?? null; } }
function collect($a) { return new Items($a); }
function data_get($a, $path, $default = null) { foreach (explode('.', $path) as $p) { if (!is_array($a) || !array_key_exists($p, $a)) { return $default instanceof Closure ? $default() : $default; } $a = $a[$p]; } return $a; }
if (!class_exists('Locale')) { class Locale { public static function getPrimaryLanguage($l) { return strtok($l, '_-'); } public static function getRegion($l) { return substr($l, 3); } } }
require 'GuzzleHttp/autoload.php';
\APP\core\Client::$http = new \GuzzleHttp\Client;
[, $class, $address, $key, $file] = $argv;
require $class;
function must($ok, $what) { if (!$ok) { fwrite(STDERR, "$what\n"); exit(1); } }
$c = new \APP\plugins\generic\plagiarism\IThenticate($address, $key, 'OJS', '3.5');
must($c->validateAccess(), 'validateAccess');
must($c->getEnabledFeature('tenant.require_eula') == false, 'getEnabledFeature');
must($c->validateEulaVersion('latest'), 'validateEulaVersion');
$user = new \PKP\user\User(4);
must($c->confirmEula($user, new \PKP\context\Context), 'confirmEula');
must($c->verifyUserEulaAcceptance($user, 'v1beta'), 'verifyUserEulaAcceptance');
$id = $c->createSubmission(new \PKP\site\Site, new \APP\submission\Submission, $user, new \PKP\author\Author(17), 'LEARNER', 'EDITOR');
must($id, 'createSubmission');
must($c->uploadFile($id, 'On Foxes (č).txt', file_get_contents($file)), 'uploadFile');
for ($i = 0; $i < 200 && json_decode($c->getSubmissionInfo($id))->status === 'PROCESSING'; $i++) { usleep(100000); }
must(json_decode($c->getSubmissionInfo($id))->status === 'COMPLETE', 'getSubmissionInfo');
must($c->scheduleSimilarityReportGenerationProcess($id, ['addToIndex' => true, 'excludeQuotes' => true, 'excludeSmallMatches' => 8]), 'scheduleSimilarityReportGenerationProcess');
for ($i = 0; $i < 200 && json_decode($c->getSimilarityResult($id))->status === 'PROCESSING'; $i++) { usleep(100000); }
$viewer = $c->createViewerLaunchUrl($id, $user, 'de-DE', 'EDITOR', true);
must($viewer && str_contains((string) \APP\core\Client::$http->request('GET', $viewer)->getBody(), 'On Foxes'), 'createViewerLaunchUrl');
must($c->deleteWebhook('none') === false, 'deleteWebhook');
echo json_decode($c->getSimilarityResult($id))->overall_match_percentage, "\n";
}
