package language

// Function words of each language, in lower case with their accents: words that occur in every text
// of a language, whatever its subject. They identify the language, and are never evidence of a
// translation. Words shared by several languages are listed in each.
const (
	commonEnglish = `the a an and or but not no nor of to in on at by for with from into onto upon about after before between
through during without within against among over under above below up down out off than then so as if because while
although though since until when where which who whom whose what why how that this these those there here it its itself
he him his himself she her hers they them their theirs we us our ours you your yours i me my mine is are was were be been
being am do does did done doing have has had having will would shall should can could may might must also only just very
too more most much many some any each every all both few other another such own same again once even still yet ever
never one two however`

	commonCzech = `a i ale nebo ani však proto protože když že aby jestli pokud než až jako jak tak také taky též už již
jen pouze ještě tedy totiž přesto ve v na do z ze s se si k ke ku o od po pod před při pro u za nad mezi bez přes kolem
podle během vedle kromě je jsou jsem jsi jsme jste byl byla bylo byli byly být bude budou budeme bych bychom by má mají
měl měla měli může mohou mohl musí lze není nejsou to ten ta ti ty tu toho tomu tím tom té těch těm těmi tento tato toto
tyto této tohoto který která které kterou kterého kterém kterým kterých kteří jeho její jejich jej ho mu jim jí ji nich
něm ní něj on ona oni my vy já mě mně nás nám vás vám svůj své svou svých svého co kdo kde kdy kam tam tady zde pak
potom velmi více všechny všech všichni vše jeden jedna jedno dva nic něco někdo některé každý žádný sám jiné jiný`

	commonSlovak = `a i aj ale alebo ani však preto pretože keď keďže že aby ak pokiaľ než až ako tak tiež taktiež už len
iba ešte teda napriek vo v na do z zo s so sa si k ku o od odo po pod pred pri pre u za nad medzi bez cez okolo podľa
počas vedľa okrem je sú som si sme ste bol bola bolo boli byť bude budú budeme by má majú mal mala mali môže môžu mohol
musí možno nie to ten tá tí tie tej toho tomu tým tom tých tými tento táto toto tieto tejto tohto ktorý ktorá ktoré
ktorú ktorého ktorom ktorým ktorých ktorí jeho jej ich ho mu im ju nich ňom nej neho on ona oni my vy ja ma mne nás nám
vás vám svoj svoje svoju svojich svojho čo kto kde kedy kam tam tu potom veľmi viac všetky všetkých všetci všetko jeden
jedna jedno dva nič niečo niekto niektoré každý žiadny sám iné iný`

	commonPolish = `a i oraz ale lub albo ani jednak dlatego ponieważ gdy kiedy że żeby aby jeśli jeżeli niż aż jako jak tak
także też również już tylko jeszcze więc czyli mimo w we na do z ze się k o od po pod przed przy dla u za nad między bez
przez wokół według podczas obok oprócz jest są jestem jesteśmy był była było byli były być będzie będą by ma mają miał
miała mieli może mogą mógł musi można nie to ten ta ci te tę tą tego temu tym tych tymi taki takie który która które
którą którego którym których którzy jego jej ich go mu im ją nich nim niej niego on ona oni one my wy ja mnie mi nas nam
was wam swój swoje swoją swoich swojego co kto gdzie tam tu tutaj potem bardzo więcej wszystkie wszystkich wszyscy
wszystko jeden jedna jedno dwa nic coś ktoś niektóre każdy żaden sam inne inny czy został została zostały`

	commonGerman = `der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen sondern
auch nur noch schon sehr mehr so wie als wenn weil da dass daß ob obwohl während bis bevor nachdem denn doch also dann
dort hier in im ins an am auf aus bei beim mit nach seit von vom zu zum zur für durch gegen ohne um über unter vor hinter
neben zwischen ist sind war waren bin bist sein gewesen werden wird wurde wurden worden hat haben hatte hatten kann
können konnte konnten muss müssen soll sollen sollte will wollen darf ich mich mir du dich dir er ihn ihm sie ihr ihre
ihren ihrem ihrer es wir uns unser unsere man sich sein seine seinen seinem seiner dieser diese dieses diesem diesen
jeder jede jedes alle allem allen aller welche welcher welches was wer wo warum etwas nichts viel viele andere anderen
einige selbst immer wieder`

	commonFrench = `le la les l un une des du de d et ou mais ni car donc que qu qui quoi dont où quand comme si parce
lorsque puisque afin alors ainsi aussi encore déjà très plus moins bien pas ne n jamais rien à au aux en dans par pour
sur sous avec sans chez vers entre contre depuis pendant avant après selon est sont était étaient être été suis sommes
sera seront soit a ont avait avaient avoir eu ai fait faire peut peuvent pouvait doit doivent je j me m moi tu te il elle
on nous vous ils elles se s lui leur leurs y ce c cet cette ces celui celle ceux cela ça mon ma mes ton son sa ses notre
nos votre vos tout tous toute toutes même autre autres quelque quelques chaque plusieurs deux`

	commonSpanish = `el la los las lo un una unos unas de del y e o u pero ni sino que quien quienes cual cuales donde cuando
como si porque pues aunque mientras entonces así también todavía ya muy más menos bien no nunca nada a al en con por para
sin sobre bajo entre contra hacia hasta desde durante según es son era eran ser sido soy somos fue fueron será está están
estaba estaban estar ha han había habían haber he hay tiene tienen tenía tener puede pueden podía debe deben hace hacer yo
me mi mí tú te ti él ella ello nosotros usted ustedes ellos ellas se le les nos su sus mis tu nuestro nuestra este esta
estos estas ese esa eso esos esas aquel todo todos toda todas mismo otra otro otros otras cada algunos algunas dos`

	commonItalian = `il lo la i gli le l un uno una di del dello della dei degli delle d e ed o ma né che chi cui quale
quali dove quando come se perché poiché mentre quindi allora così anche ancora già molto più meno bene non mai niente
nulla a ad al allo alla ai agli alle in nel nello nella nei negli nelle con per su sul sulla sui sulle da dal dalla dai
dalle tra fra senza sotto verso contro durante prima dopo secondo è sono era erano essere stato stata stati fu furono sarà
ha hanno aveva avevano avere ho abbiamo può possono poteva deve devono fa fare io mi me tu ti lui lei egli noi ci voi vi
loro si ne questo questa questi queste quello quella quelli mio mia suo sua suoi sue nostro tutto tutti tutte stesso altro
altri altre ogni alcuni due`

	commonHungarian = `a az egy és vagy de nem sem se hogy ha mert mint mivel bár míg amíg amikor mikor akkor ahol hol ott
itt így úgy is csak még már nagyon több kevesebb jól soha semmi van vannak volt voltak lesz lesznek lenne lett legyen
nincs kell lehet tud tudja én te ő mi ti ők ez azt ezt ezek azok ennek annak ebben abban erre arra ezzel azzal ami
amely amelyek amelyet aki akik akit amit mely ki kit engem minket őt őket neki nekik meg el fel le be ki után előtt
között alatt felett mellett nélkül szerint ellen miatt által során felé óta minden mindenki más másik saját maga néhány
két kettő való pedig azonban tehát hiszen ugyanis illetve`

	commonRussian = `и а но или ни не да же бы ли что чтобы если когда как так где куда там тут здесь тоже также уже еще ещё
только лишь очень более менее потому поэтому хотя пока чем в во на с со к ко о об от до по под над при про для у за из
изо без через между перед после около во время кроме есть был была было были быть будет будут может могут мог можно нужно
нет я меня мне мной ты тебя тебе он его ему им нём она её ее ей оно мы нас нам вы вас вам они их ними них себя себе свой
свои свою своего своих этот эта это эти этого этой этом этих тот та то те того той том тех который которая которое
которые которого которой которых кто чего чём все всё всех весь вся каждый другой другие сам один два`
)
