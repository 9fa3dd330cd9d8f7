/**
 * Words with which people begin a password, in lower case. They were written for this list and not copied: words about
 * passwords and computers, names, animals, sports, food, places, films, things that people like, things that people say.
 */
const splitWords = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The most common words. They also occur in leetspeak and in pairs. */
export const FIRST_ROOTS = splitWords(`
  password pass passwort passwd passcode welcome admin administrator root user login master letmein iloveyou love
  qwerty qwertz azerty abc abcd secret monkey dragon sunshine princess football baseball superman batman shadow michael
  charlie summer winter spring autumn hello test guest access changeme default whatever trustno freedom computer internet
  server system temp demo ninja money star angel happy lucky company
`);

export const COMMON_ROOTS = splitWords(`
  account backup cisco client cloud code coder database dbadmin debian demo developer device digital email engineer
  google apple android iphone windows microsoft linux ubuntu oracle mysql postgres postgresql manager member mobile mypass
  mypassword newpassword oldpassword thepassword yourpassword nopassword nothing office operator owner private public
  router samsung security service site staff student super superuser support sysadmin teacher tester testing testtest
  testpass testuser toor unknown unlock username userpass webmaster website wireless wifi work zaq xsw helpdesk
  letmeinnow letmeinplease openup opensesame sesame enter entry keyboard laptop desktop hacker hackme matrix cyber
  password1 admin1 root1 qwe asd zxc asdf zxcv qwer wasd qaz qazwsx qazxsw zaqxsw asdfgh asdfjkl zxcvbn zxcvbnm qwertyuiop
  iloveu iloveme ilove loveme loveyou lovely lover lovers mylove truelove forever foreverlove always together family
  mother father mommy daddy mama papa mum dad sister brother baby babygirl babyboy girl boy friend friends bestfriend
  bff sweet sweetie sweetheart honey darling beautiful pretty gorgeous cutie princesa hottie sexy kisses kiss heart hearts
  alexander alexandra alex alexis alice amanda amber amy andrea andrew angela angelina anna annie anthony antonio ariel
  arthur ashley austin barbara benjamin bianca bob bobby brandon brenda brian britney brittany bruno caroline carlos carmen
  catherine cameron camila charles charlotte chelsea chloe chris christian christina christine christopher claudia connor
  crystal cynthia daniel daniela danielle david dennis diamond diana diego dominic donald dylan edward eduardo elena
  elizabeth emily emma eric erika esther eva evelyn fatima felipe fernando florian francesco francis francisco frank
  gabriel gabriela george gerald giovanni gloria grace gregory guillermo hannah harry heather helena henry hugo ian igor
  isabel isabella ivan jack jackson jacob jake james jamie janet jasmine jason javier jeff jeffrey jennifer jenny jeremy
  jerry jesse jessica jessie jesus joanna joel john johnny jonathan jordan jorge jose joseph joshua juan julia julian julie
  justin karen karina katherine kathleen katie kelly kenneth kevin kimberly kristen kyle laura lauren leonardo leslie
  lily linda lisa logan louise lucas lucia luis luna madison manuel marcel marco margaret maria mariana marie marina mario
  marissa mark martha martin mary mason matthew matthias max maxwell megan melanie melissa mercedes michelle miguel mike
  mohamed mohammed monica morgan nancy natalia natalie natasha nathan nicholas nicola nicolas nicole nikita oliver olivia
  oscar pablo pamela patricia patrick paul paula pedro peter philip phoenix pierre rachel rafael ralph ramon raymond rebecca
  ricardo richard robert roberto robin roger ronald rosa rose roxana ruben russell ryan sabrina samantha samuel sandra
  santiago sara sarah scott sean sebastian sergey sergio sharon shannon silvia simon simone sophia sophie stefan stella
  stephanie stephen steve steven susan svetlana sydney sylvia tamara tanya taylor teresa thomas tiffany timothy tina tommy
  tony tyler valentina valeria vanessa veronica victor victoria vincent virginia vivian vladimir walter wendy william
  xavier yasmin yvonne zachary zoe
  animal bear bird buffalo bulldog bunny butterfly cat chicken cobra cookie cougar coyote crocodile cupcake deer dog doggy
  dolphin dolphins donkey duck eagle eagles elephant falcon fish flower fluffy fox frog giraffe goldfish gorilla hamster
  hawk horse horses jaguar kangaroo kitten kitty kittycat koala leopard lion lions lizard monkeys mouse mustang octopus
  panda panther panthers parrot peanut penguin pig piggy pony puppy rabbit raven rooster scorpion shark sharks sheep snake
  snoopy spider squirrel swan tiger tigers tigger turkey turtle unicorn viper whale wolf wolves zebra rex rocky buddy bella
  coco daisy ginger lady lola maggie molly muffin oreo pepper sadie sasha simba smokey snowball teddy toby
  arsenal barcelona barca basketball bowling boxing broncos bulls champion chelseafc cowboys cricket cycling dallas dodgers
  everton fcbayern fishing futbol galatasaray giants golf golfer gunner gunners hockey hunter juventus karate kobe ladybug
  lakers liverpool manchester manunited marathon messi packers player racing rangers realmadrid redskins redsox ronaldo
  rugby runner running skate skater skateboard soccer softball sport sports steelers surfer surfing swimming tennis united
  volleyball warrior warriors winner wrestling yankees yankee champions legend
  banana bacon beer berry bread bubbles butter cake candy caramel cheese cherry chocolate choco cinnamon cocacola coffee
  cookies cream donut espresso grape honeybee icecream jelly juice kiwi lemon lollipop mango melon milk noodle onion orange
  pancake pasta peach pepsi pickle pineapple pizza popcorn potato pumpkin raspberry salad salsa sandwich spaghetti strawberry
  sugar taco tequila tomato vanilla vodka waffle water watermelon whiskey wine
  africa alaska america american amsterdam arizona asia athens atlanta australia austria bangkok beach beijing berlin
  boston brasil brazil brooklyn california canada caracas chicago china colombia colorado columbia dakota delhi denver dublin
  egypt england espana europe florida france georgia germany greece hamburg hawaii holland hongkong houston india indian
  indonesia ireland istanbul italia italy jakarta jamaica japan kenya korea lasvegas lisbon london losangeles madrid
  malaysia manila melbourne mexico miami milano montana montreal moscow mountain mumbai munich newyork nigeria norway ocean
  ontario oregon orlando pacific pakistan paris peru philippines phoenixaz poland portugal prague quebec river roma rome russia
  sanjose savannah scotland seattle shanghai singapore spain stockholm sunset sweden swiss switzerland tampa texas tokyo
  toronto turkiye ukraine usa utah venezuela vienna vietnam virginia warsaw washington zurich
  avatar barbie batgirl blink buster callofduty captain cartman cinderella coldplay creative digimon disney doctor donald
  doraemon drummer eminem enterprise fantasy fortnite frodo frozen gandalf garfield gameover gamer games genius ghost goblin
  godzilla gotham guitar gundam halo hallo hannibal harley harrypotter heaven hellboy hello hellokitty hercules hogwarts
  homer ironman jedi joker jokers juggernaut justice kingkong knight legolas legion lego linkinpark magic mariokart marvel
  maverick merlin metallica mickey mickeymouse minecraft minnie mordor mozart music musica narnia naruto neo nirvana odin
  pacman peterpan piano pikachu pirate pirates playboy playstation poker pokemon popeye portal prince punk rainbow rambo
  reggae robot rockstar rocknroll roblox sailor sailormoon samurai scarface scooby scoobydoo simpson simpsons skywalker
  slayer slipknot sonic southpark spartan spiderman spongebob starcraft startrek starwars stitch superstar supernova
  terminator thor thunder thx tinkerbell titanic tolkien trinity trooper tweety vader vampire vegeta venom warcraft warlock
  wizard wolverine wonderwoman xbox yoda yugioh zelda zombie zorro
  january february march april june july august september october november december monday tuesday wednesday thursday
  friday saturday sunday birthday christmas easter halloween holiday holidays newyear vacation weekend season today
  tomorrow yesterday morning midnight moonlight moon stars starlight sun sunny sunflower sunrise rain snow snowman storm
  lightning fire flame ice earth wind cloud sky sea forest garden nature tree rose roses lily orchid jasmine lavender violet
  black blue brown gold golden green grey indigo magenta pink purple red scarlet silver turquoise white yellow
  ambition amazing anything awesome believe biteme blessed blessing bond boss bossman brave bravo bullshit chance cheer
  classic cool coolguy crazy damn danger dancer dancing dare dark darkness death delta destiny devil diablo dream dreamer
  dreams drive eclipse electric element elite energy enigma escape eternal evil express extreme faith fearless flash fly
  foobar forget forgot forgotten fortune fucking fuckoff fuckyou fuckme funny future galaxy gangster gateway general giant god
  godbless godisgood goodluck gorgeous grandma grandpa greatness guardian happiness hardcore hate hero hope hotdog hunter
  iamgod iceman illusion imagine impossible infinity inlove invisible jackass jesuschrist jesus jewel joker journey joy jump
  jupiter karma killer killme king kingdom kings knights ladies ladybird laser laughing liberty life lifeisgood lights limited
  looking loser lord lost loveislife loveit magnum marine marines mars memory mercury metal million millionaire mine mission
  mnbvcxz monster moneymaker motorola motocross mustang mystery naughty neptune never nevermind nightmare nobody none
  notebook notused number one orion outlaw paradise passion peace peaceful perfect photo pickles pilot pleasure please police
  pookie popstar power powerful predator president pressure private progress promise prophet prosperity queen quest random
  ranger rebel remember renegade rescue respect revenge reverse revolution rich riders right rocket romance romeo rosebud
  royal running saints salvation satan saturn savior scarlet school science scout sensation serenity seven shalom shelby
  shining shooter shorty silence silent sierra single skyline slayer sleep smart smile smiley smiling smooth sniper soldier
  solution someone something soul special spirit splash spooky stalker standard start stargate stranger strong stupid success
  suckit sugarbaby sunshines supreme surprise survivor sword symphony tango target tattoo terror thankyou thanks thebest
  theking theone thunderbird tiger time titan tomcat toyota treasure trouble true trust truth turbo twilight twister ultimate
  undertaker unique universe university victory viking virus vision volcano voyager wanted warning wealth wicked wild wildcat
  winning wisdom wonder wonderful world worldcup wrong yahoo yamaha yellowstone yes yesno young zero zodiac bmw audi ferrari
  porsche honda nissan lamborghini chevrolet chevy corvette camaro dodge ford harleydavidson jeep kawasaki ducati suzuki vespa
  contrasena clave acceso amor teamo tequiero estrella corazon familia hola mivida bonita princesita geheim hallo passe
  motdepasse bonjour soleil jetaime doudou loulou chouchou ciao amore senha segredo brasileiro parola haslo wachtwoord lozenord
  hasta siempre ichliebedich schatz sommer schalke borussia werder hamburg fussball sonnenschein privet lyubov nastya parol
  salasana losenord adgangskode sifre anjing sayang bismillah allah allahuakbar alhamdulillah jesuslovesme godislove ganesha
  krishna saibaba omsairam waheguru
`);

/** Complete common passwords, most of them long. */
export const PHRASES = splitWords(`
  correcthorsebatterystaple thequickbrownfox thequickbrownfoxjumps thequickbrownfoxjumpsoverthelazydog iloveyouforever
  iloveyousomuch iloveyouverymuch iloveyoubaby iloveyoumom ilovemyfamily ilovemymom ilovemylife ilovemydog ilovemycat
  ilovejesus ilovepizza ilovechocolate ilovemusic ilovefootball ilovebasketball lovemeforever foreverandever foreveryoung
  letmeinletmein letmeinpleasenow pleaseletmein openthedoor thisismypassword thisisapassword thisispassword mypasswordispassword
  mypassword1234 thisismypass passwordispassword nopasswordneeded idontknow idontknowmypassword idontremember iforgotmypassword
  iforgotit forgetpassword forgotpassword ihatepasswords ihatethis ihateyou whatisthis whatismypassword dontforgetme
  dontforgetit donttouchthis nevergiveup nevergonnagiveyouup nevermindnirvana maytheforcebewithyou theforceisstrong
  iamyourfather winteriscoming youshallnotpass onepieceisreal harrypotter7 gryffindor slytherin expectopatronum
  lordoftherings gameofthrones breakingbad starwarsfan callofduty4 grandtheftauto counterstrike leagueoflegends
  worldofwarcraft assassinscreed residentevil finalfantasy finalfantasy7 dragonballz superman123 supermario supermariobros
  yellowsubmarine stairwaytoheaven highwaytohell bohemianrhapsody hotelcalifornia jesusismylord jesusismysavior jesuslovesyou
  godisgoodallthetime godisgreat ingodwetrust inchristalone praisethelord hakunamatata carpediem ilikechocolate
  abrakadabra abracadabra opensesame123 passwordpassword adminadmin administrator1 administratoradmin rootroot qwertyqwerty
  welcomewelcome welcometothejungle welcomehome welcometomyworld changemeplease changemenow pleasechangeme changethispassword
  temporarypassword temppassword defaultpassword supersecretpassword supersecret topsecret verysecret secretpassword
  secretsecret mysecretpassword strongpassword securepassword averysecurepassword asecurepassword longpassword
  averylongpassword areallylongpassword thisisaverylongpassword thisisalongpassword passwordpasswordpassword testpassword
  testtesttesttest testing123testing onetwothree onetwothreefour onetwothreefourfive twelvecharacters fifteencharacters
  sixteencharacters aaaabbbbccccdddd abcdefghijklmnop abcdefghijklmno abcdefghijklmnopqrstuvwxyz abcabcabcabcabc abc123abc123
  abc123abc123abc123 qwerty123qwerty qwerty123456qwerty asdfghjklasdfghjkl qazwsxedcrfvtgb 1qaz2wsx3edc4rfv 1qaz2wsx3edc4rfv5tgb
  1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8 zaq12wsxcde34rfv zaq1xsw2cde3vfr4 1234qwerasdfzxcv qwerasdfzxcv1234
  qweasdzxc123456 123456qwertyuiop 0987654321qwerty 1234567890qwertyuiop 123456789qwertyuiop 123qweasdzxc 1q2w3e4r 1q2w3e4r5t
  1qaz2wsx 1qaz2wsx3edc q1w2e3r4 q1w2e3r4t5 qwe123 qwe123qwe asd123 zxc123 abc123 a1b2c3 a1b2c3d4 a1b2c3d4e5 1a2b3c 1a2b3c4d 1a2b3c4d5e
  1234abcd 123abc abcd1234 abcde12345 aa123456 a123456 a12345678 a123456789 q1w2e3 p@ssw0rd p@ssword passw0rd pa55word
  pa55w0rd pa$$word pa$$w0rd trustno1 trustnoone letme1n l3tm31n h4ck3r adm1n r00t 0p3n m0nkey monk3y dr4gon n1nja 1loveyou
  iloveyou2 iloveyou3000 fuckyoubitch jordan23 michael23 blink182 agent007 jamesbond007 bond007 area51 apollo13 catch22 route66
  summeroflove happybirthday happynewyear merrychristmas happyhappyhappy lalalalalala blablablabla hahahahaha ninjaturtle
  mutantninjaturtles scoobydoobydoo ilikepizza chocolatecake strawberryfields
  112233 11223344 1122334455 112233445566 123321 123123123 121212 131313 147258 159357 159357456 142536 741852 789456 789456123
  456789 456123 987654 102030 10203040 246810 13579 24680 314159 3141592 31415926535 1478963 zaq12wsx zaq1zaq1 qweasdzxc
  qweasd qweewq qwaszx wsxedc rfvtgb edcrfv qwert12345 asdf1234 gfhjkm ghbdtn ytrewq dsadsa poiuyt lkjhgf mnbvcx
  mom monitor mobilemail klaster aaaaaa1 abcdef1 passpass adminpass adminpassword rootpassword userpassword guestguest
`);
