"""The sentences of the scripts slice, by script: written for it, by hand.

A line is a document. ``?`` starts a query that the documents just above it answer,
``-`` a document that answers none, ``~`` one that is stored decomposed: letters and
their accents, or the parts of a Hangul syllable, as characters of their own.
"""

# ruff: noqa: RUF001 - letters of other scripts are what this file is about.

# Cut at its accents, `été` is the `t` of `a-t-il`, `île` the word `le`, and `año` the
# words `a` and `o`: what is then found are the lines that answer nothing.
LATIN = """
Cet été, nous dormirons sous la tente.
Un été sans pluie inquiète les jardiniers.
? été
- Y a-t-il du pain ? Y a-t-il du sel ?
- Que dira-t-on ? Que fera-t-elle ?
- Viendra-t-elle ? Rira-t-elle ?
- Pleuvra-t-il ? Neigera-t-il ?
- Partira-t-on ? Mangera-t-on ?
Le magasin a déjà fermé ses portes pour la semaine.
? déjà
- J'ai peur d'elle, j'ai besoin d'air.
- J'arrive d'Arles, j'ai faim.
- D'abord j'ouvre, d'habitude j'oublie.
- J'habite loin d'Orange, j'y dors.
- D'ailleurs j'y reste, j'en ris.
Une île verte flotte au loin dans la brume.
? île
- Le bus ou le train ?
- Le pain, le vin, le fromage.
- Le nord, le sud, le vent.
- Le casque, le guidon, le frein.
- Le merle, le pinson, le geai.
Toute la matinée, la radio passe la même chanson.
? même
- Il m'aide, elle me parle.
- On m'attend, tu me manques.
- On m'a vu, on me suit.
- Il m'oublie, elle me cherche.
- Tu m'entends, tu me vois.
~ Le théâtre rouvre ses portes en octobre.
? théâtre
Este año llovió muy poco en toda la comarca.
? año
- ¿Vamos a pie o a caballo?
- ¿A casa o a la playa?
- ¿A las dos o a las tres?
- ¿A mano o a máquina?
- ¿A Lima o a Quito?
Nuestro niño aprendió pronto todas las vocales.
? niño
- Ni frío ni calor, o eso dicen.
- Ni carne ni pescado, o nada.
- Ni uno ni otro, o ambos.
- Ni blanco ni negro, o gris.
- Ni hoy ni mañana, o nunca.
Die Straße war nach dem Regen noch lange nass.
? STRASSE
- Der Strauß stand am offenen Fenster.
Stara łódź leży na brzegu jeziora.
? łódź
- Nad jeziorem wieje dziś silny wiatr.
"""

CYRILLIC = """
Поезд до Казани отходит в семь утра.
? поезд Казани
- Поезд опоздал на два часа.
Бабушка варит варенье из крыжовника.
? варенье крыжовника
- Бабушка вяжет тёплый шарф.
Ключ от подвала лежит под ковриком.
? КЛЮЧ ПОДВАЛА
- Паук живёт под ковриком.
Завтра врач принимает после обеда.
? врач после обеда
- Врач выписал новый рецепт.
Ёжик спит под старой яблоней.
? ёжик
- Под яблоней стоит скамейка.
Їжак сховався у купі листя.
? їжак
- Сьогодні ввечері буде дощ.
~ Крепкий чай остывает на подоконнике.
? чай
- Кофе остывает на столе.
"""

# The nouns asked for stand with particles, as they do in any sentence.
KOREAN = """
도서관에서 빌린 책을 내일 돌려줘야 해요.
? 도서관
- 책을 읽다가 잠들었어요.
할머니가 만든 김치는 아주 매워요.
? 김치
- 할머니가 시장에 가셨어요.
열쇠는 화분 밑에 숨겨 두었어요.
? 화분 열쇠
- 화분에 물을 줬어요.
다음 주 화요일에 치과를 예약했어요.
? 치과 예약
- 식당을 예약하지 못했어요.
부산으로 가는 기차가 늦게 도착했어요.
? 부산 기차
- 기차를 타고 바다에 갔어요.
~ 우산을 버스에 두고 내렸어요.
? 우산
- 버스를 오래 기다렸어요.
고양이가 창문 옆에서 자고 있어요.
? 고양이
- 창문을 닫아 주세요.
"""

# One camera is written in half-width katakana.
JAPANESE = """
図書館で借りた本を明日返します。
? 図書館
- 地図を書いて友人に渡した。
祖母の梅干しはとても酸っぱい。
? 梅干し
- 祖母は毎朝散歩をする。
鍵は植木鉢の下に隠してあります。
? 植木鉢の鍵
- 植木に水をやるのを忘れた。
来週の火曜日に歯医者を予約した。
? 歯医者
- 医者に薬をもらった。
- 旅館の予約を取り消した。
京都行きの電車が遅れている。
? 京都 電車
- 電車で海を見に行った。
古いｶﾒﾗを修理に出した。
? カメラ
- テレビを修理に出した。
猫が窓辺で丸くなって眠る。
? 窓辺
- 窓を開けて風を入れる。
"""

CHINESE = """
明天要把图书馆的书还回去。
? 图书馆
- 这张图画得很好。
- 宾馆的早餐不错。
奶奶做的饺子特别好吃。
? 饺子
- 奶奶每天早上散步。
钥匙藏在花盆下面。
? 花盆 钥匙
- 别忘了给花盆浇水。
下周二约了牙医。
? 牙医
- 医生让我多喝水。
去上海的火车晚点了。
? 上海火车
- 坐火车去看海。
- 上海的夏天很热。
雨伞忘在公交车上了。
? 雨伞
- 公交车站就在楼下。
妹妹在學校學會了游泳。
? 學校
- 他們學了很多新歌。
"""

EMOJI = """
Friday is 🍕 night at the studio
? 🍕
- pizza after the meeting
left my 🚲 at the station
? 🚲
- 🚗 parked behind the house
rehearsal moved, bring a 🎸
? 🎸
- 🎻 lesson on Thursday
with ❤️ from the whole team
? ❤️
- my 💔 goes out to them
our new 👩‍💻 starts on Monday
? 👩‍💻
- the 👩‍🍳 changed the menu
landed safely 🇯🇵 see you soon
? 🇯🇵
- landed late 🇫🇷 trains on strike
release is out🎉thanks everybody
? 🎉
- thanks for the release notes
"""

# Here \n, \r and \t stand for the characters themselves: what they part are words.
LINEBREAKS = r"""
eggs\nflour\nbutter\nsugar
? flour butter
- the flour mill grinds all week
- butter melts in the sun
Guest:\tOrtega\nAllergy:\tpeanuts\nRoom:\t14
? Ortega allergy
- Ortega scored twice on Sunday
- an allergy nurse visits schools
pump\tvalve\tgasket\r\nhose\tclamp\tfilter
? gasket hose
- a garden hose leaks
monday\n\nswimming\n\ntuesday\n\npottery
? swimming tuesday
- swimming lessons for beginners
- the tuesday market sells cheese
carrots\tparsnips\tleeks
? parsnips
- turnips and swedes
Dear Ines\nthe boiler\nfailed again\nplease hurry
? failed boiler
- the boiler hums at night
- he failed a driving test
"""
