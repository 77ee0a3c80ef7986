# -*- coding: utf-8 -*-
"""购物助手 · مساعد التسوق · Помощник · ผู้ช่วย — the same agent for many languages."""
import unicodedata

GREETINGS = {
    "en": "Looking for {what} under {price}", "de": "Ich suche {what} für höchstens {price}",
    "fr": "Je cherche {what} à moins de {price} €", "es": "Busco {what} por menos de {price}",
    "pl": "Szukam: {what}, poniżej {price} zł", "tr": "{what} arıyorum, en çok {price}",
    "ru": "Ищу {what} не дороже {price}", "uk": "Шукаю {what} до {price} ₴", "el": "Ψάχνω {what} κάτω από {price}",
    "he": "מחפש {what} עד {price}", "ar": "أبحث عن {what} بأقل من {price}", "fa": "دنبال {what} می‌گردم، زیر {price}",
    "hi": "मुझे {what} चाहिए, {price} से कम", "th": "กำลังหา {what} ไม่เกิน {price} บาท",
    "zh": "我想买{what}，价格低于{price}元", "ja": "{what}を探しています（{price}円以下）",
    "ko": "{what} 찾고 있어요, {price}원 이하", "vi": "Tôi đang tìm {what} dưới {price}", "tl": "Naghahanap ng {what}, hanggang {price}",
    "ka": "ვეძებ {what}-ს {price}-მდე", "am": "{what} እፈልጋለሁ ከ{price} በታች", "ta": "{what} தேடுகிறேன்",
}
COLOURS = {
    "red": ["rot", "rouge", "rojo", "красный", "أحمر", "红色", "紅", "赤", "빨강", "đỏ", "pula", "สีแดง", "🔴", "❤️"],
    "blue": ["blau", "bleu", "azul", "синий", "أزرق", "蓝色", "藍", "青", "파랑", "xanh dương", "asul", "สีน้ำเงิน", "🔵", "💙"],
    "green": ["grün", "vert", "verde", "зелёный", "أخضر", "绿色", "綠", "緑", "초록", "xanh lá", "berde", "สีเขียว", "🟢", "💚"],
    "black": ["schwarz", "noir", "negro", "чёрный", "أسود", "黑色", "黒", "검정", "đen", "itim", "สีดำ", "⚫", "🖤"],
}
EMOJI = {"👗": "dress", "👟": "shoes", "📱": "phone", "💻": "laptop", "🎒": "backpack", "⌚": "watch", "🧴": "lotion",
         "👨‍👩‍👧‍👦": "family", "🏴‍☠️": "pirate", "🇵🇭": "PH", "☂️": "umbrella", "✂️": "scissors", "❄️": "winter"}
常用字 = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从"
الأرقام = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "01234567890123456789")


def größe(текст: str) -> str:
    """Folds wide forms (ＡＢＣ１２３) and accents, as people type them."""
    return unicodedata.normalize("NFKC", текст).translate(الأرقام).casefold()


def color_of(text):
    folded = größe(text)
    return next((name for name, words in COLOURS.items() if any(word in folded for word in words)), None)


class Catálogo:
    ñandú = "🦤"

    def __init__(self, idioma="es"):
        self.idioma = idioma

    def saludo(self, *, qué, cuánto):
        return GREETINGS[self.idioma].format(what=qué, price=cuánto)


def agent_main(problem, find):
    goal = größe(problem["goal_text"])
    for picture, word in EMOJI.items():
        goal = goal.replace(picture, f" {word} ")
    colour = color_of(goal)
    print(f"{colour=!s:>10} → {goal:…<40.40}", "\N{GREEK SMALL LETTER ALPHA}\u2713\x21\U0001F600")
    return find(f"{colour or ''} {goal}".strip())
