"""Big readable tables: colours, sizes, materials, units, categories and how people spell them."""
COLOURS = {
    "aliceblue": "#f0f8ff", "antiquewhite": "#faebd7", "aqua": "#00ffff", "aquamarine": "#7fffd4",
    "azure": "#f0ffff", "beige": "#f5f5dc", "bisque": "#ffe4c4", "black": "#000000", "blue": "#0000ff",
    "blueviolet": "#8a2be2", "brown": "#a52a2a", "burlywood": "#deb887", "cadetblue": "#5f9ea0",
    "chartreuse": "#7fff00", "chocolate": "#d2691e", "coral": "#ff7f50", "cornsilk": "#fff8dc",
    "crimson": "#dc143c", "cyan": "#00ffff", "darkblue": "#00008b", "darkcyan": "#008b8b",
    "darkgreen": "#006400", "darkkhaki": "#bdb76b", "darkorange": "#ff8c00", "darkred": "#8b0000",
    "deeppink": "#ff1493", "dodgerblue": "#1e90ff", "firebrick": "#b22222", "gold": "#ffd700",
    "goldenrod": "#daa520", "gray": "#808080", "green": "#008000", "hotpink": "#ff69b4",
    "indianred": "#cd5c5c", "indigo": "#4b0082", "ivory": "#fffff0", "khaki": "#f0e68c",
    "lavender": "#e6e6fa", "lime": "#00ff00", "magenta": "#ff00ff", "maroon": "#800000",
    "navy": "#000080", "olive": "#808000", "orange": "#ffa500", "orchid": "#da70d6", "peru": "#cd853f",
    "pink": "#ffc0cb", "plum": "#dda0dd", "purple": "#800080", "red": "#ff0000", "salmon": "#fa8072",
    "sienna": "#a0522d", "silver": "#c0c0c0", "skyblue": "#87ceeb", "tan": "#d2b48c", "teal": "#008080",
    "tomato": "#ff6347", "turquoise": "#40e0d0", "violet": "#ee82ee", "wheat": "#f5deb3", "white": "#ffffff",
}
# A palette without names, as design tools export it.
PALETTE = ["264653", "2a9d8f", "e9c46a", "f4a261", "e76f51", "606c38", "283618", "fefae0", "dda15e",
           "bc6c25", "cdb4db", "ffc8dd", "ffafcc", "bde0fe", "a2d2ff", "8ecae6", "219ebc", "023047",
           "ffb703", "fb8500", "003049", "d62828", "f77f00", "fcbf49", "eae2b7", "0d1b2a", "1b263b",
           "415a77", "778da9", "e0e1dd", "5f0f40", "9a031e", "fb8b24", "e36414", "0f4c5c", "22223b"]
RGB = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (0, 255, 255), (255, 0, 255), (128, 128, 128)]
CLOTHES = {"XXS": 32, "XS": 34, "S": 36, "M": 38, "L": 40, "XL": 42, "2XL": 44, "3XL": 46, "4XL": 48, "5XL": 50}
SHOES = {"EU": [35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46], "UK": [2.5, 3.5, 4, 5, 6, 6.5, 7, 8, 9, 9.5, 10.5, 11],
         "US": [3.5, 4.5, 5, 6, 7, 7.5, 8, 9, 10, 10.5, 11.5, 12], "CM": [22, 22.5, 23.5, 24, 25, 25.5, 26, 27, 27.5, 28.5, 29, 30]}
UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "yd": 0.9144,
         "mg": 1e-6, "g": 1e-3, "kg": 1.0, "oz": 0.028349523125, "lb": 0.45359237, "t": 1000.0,
         "ml": 1e-3, "cl": 1e-2, "l": 1.0, "gal": 3.785411784, "pt": 0.473176473, "cup": 0.2365882365}
MODELS = ["SM-A525F", "SM-G991B", "A5S", "A16k", "A1601", "TF03K", "E80D", "JN-600", "RTX3060Ti", "i7-12700K",
          "WH-1000XM5", "MX500", "L3408", "TC402-42022", "XR-75X90L", "KDL40R510C", "UN55TU7000", "GA503QR",
          "B550M-A", "CMK16GX4M2B3200C16", "DS-2CD2143G0-I", "MK2000WT", "CFI-1215A01X", "HX432C16FB3K2"]
STATES = {"TX": "Texas", "CA": "California", "NY": "New York", "WA": "Washington"}
POSTCODES = "1000 1001 1002 1003 1004 1005 1006 1007 1008 1100 1101 1102 1103 1104 1105 1106 1107 1108 1109 1110 " \
            "1200 1201 1202 1203 1204 1205 1206 1207 1208 1209 1210 1300 1301 1302 1303 1400 1401 1402 1403 1404"
SERVICES = {"cod": "COD", "cash on delivery": "COD", "pay on delivery": "COD", "free shipping": "freeShipping",
            "free delivery": "freeShipping", "lazmall": "official", "official store": "official",
            "lazflash": "flashsale", "flash deal": "flashsale", "flash sale": "flashsale"}
POPULATION = {"Philippines": 109_035_343, "Malaysia": 32_447_385, "Thailand": 66_090_475, "Vietnam": 96_208_984}
BARCODE_PREFIXES = {range(0, 20): "US", range(300, 380): "FR", range(400, 441): "DE", range(480, 481): "PH"}


def canonical(text):
    text = text.lower()
    return [value for spelling, value in SERVICES.items() if spelling in text]


def nearest_colour(hex_value):
    value = [int(hex_value[i : i + 2], 16) for i in (1, 3, 5)]
    apart = lambda name: sum((a - int(COLOURS[name][i : i + 2], 16)) ** 2 for a, i in zip(value, (1, 3, 5)))
    return min(COLOURS, key=apart)


def agent_main(problem, find):
    colours = [name for name in COLOURS if f" {name} " in problem["goal_text"]]
    return find(" ".join(colours + canonical(problem["goal_text"])))
