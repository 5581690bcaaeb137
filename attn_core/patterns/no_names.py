"""English words that are written with a capital letter and name nobody: days, months, nationalities and languages.

A short list of ours: the commonest ones, without those that are first names as often (Frank, Norman, Roman, Finn).
"""

CALENDAR = """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Tues Wed Thu Thur Thurs Fri
    January February March April May June July August September October November December Feb Aug Sep Sept Oct Nov Dec
    Christmas Easter Thanksgiving Halloween Lent Ramadan Hanukkah Passover
"""
PEOPLES = """
    Afghan African Albanian Algerian American Arab Arabic Argentine Armenian Asian Australian Austrian Bavarian Belgian Bolivian
    Bosnian Brazilian British Bulgarian Burmese Byzantine Canadian Catalan Caribbean Celtic Chilean Chinese Colombian Croatian
    Cuban Czech Danish Dutch Egyptian English Englishman Englishwoman Estonian Ethiopian European Filipino Finnish Flemish French
    Frenchman Frenchwoman Gaelic Georgian German Greek Hebrew Hindi Hispanic Hungarian Icelandic Indian Indonesian Iranian Iraqi
    Irish Irishman Irishwoman Israeli Italian Jamaican Japanese Jewish Kenyan Korean Kurdish Latin Latvian Lebanese Lithuanian
    Malaysian Maltese Mexican Mongolian Moroccan Nepalese Nigerian Norwegian Ottoman Pakistani Palestinian Persian Peruvian
    Polish Portuguese Prussian Romanian Russian Sanskrit Saxon Scottish Scotsman Serbian Sicilian Slavic Slovak Slovenian Somali
    Spaniard Spanish Swahili Swedish Swiss Syrian Thai Tibetan Tunisian Turk Turkish Ukrainian Urdu Venezuelan Vietnamese Welsh
    Welshman Yiddish Zulu
"""
_ALL = frozenset(f"{CALENDAR} {PEOPLES}".lower().split())


def names_nobody(word: str) -> bool:
    """Whether a capitalised word is one of the list, its plural (Saturdays) or its genitive (March's)."""
    bare = word.lower().replace("’", "'").removesuffix("'s")
    return bare in _ALL or bare.removesuffix("s") in _ALL
