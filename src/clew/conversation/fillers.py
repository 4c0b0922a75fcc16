"""Prompts that say nothing of what a session is about: a greeting, a yes, "continue"."""

import re
from typing import Final

# A prompt of such words alone says nothing. One list for all languages: people mix them.
# ruff: disable[RUF001]
_FILLER_WORDS: Final = """
hi hello hey hiya yo howdy greetings morning evening good claude there again yes yeah yep yup y no
nope nah n sure ok okay okey k kk fine great nice cool perfect awesome excellent thanks thank thx
ty you please pls plz continue continued go on ahead proceed resume next carry keep going do it
that this so right correct exactly agreed alright all done ready stop wait now then and lets let's
start begin retry try ping ja nein doch weiter weitermachen mach machen bitte danke gut genau los
hallo moin servus oui non continuez merci d'accord dac bonjour salut vas-y allez suivant
si sí continúa continua continuar sigue seguir adelante gracias vale dale hola buenas por favor
sim não nao obrigado obrigada prossiga siga olá ola oi bom dia sì avanti grazie va bene ciao prego
procedi ga door verder bedankt graag dank je tak nie dalej kontynuuj dzięki dzieki cześć dobrze
evet hayır devam et tamam teşekkürler merhaba lütfen fortsätt fortsett fortsæt tack takk hej nej
nei jatka kyllä kiitos ano pokračuj děkuji ahoj da nu continuă mulțumesc да нет продолжай
продолжить дальше далее спасибо хорошо давай привет ок так ні далі дякую продовжуй привіт ναι όχι
συνέχισε ευχαριστώ γεια نعم لا تابع استمر أكمل شكرا مرحبا כן לא המשך תמשיך תודה שלום हाँ हां नहीं
जारी रखें नमस्ते धन्यवाद có không tiếp tục vâng cảm ơn ya tidak lanjut lanjutkan terima kasih ใช่
ต่อ ต่อไป ขอบคุณ สวัสดี 继续 繼續 好 好的 好吧 是 是的 对 對 可以 行 谢谢 謝謝 你好 您好 嗯
没问题 下一步 开始 請繼續 请继续 はい いいえ 続けて
続けてください 続き お願いします ありがとう ありがとうございます こんにちは 次 次へ 進めて
進めてください どうぞ うん 了解 네 예 아니요 계속 계속해 계속해줘 계속해주세요
감사합니다 고마워 안녕 안녕하세요 좋아 진행해 진행해줘
"""
# ruff: enable[RUF001]
# Commands of the client itself, whatever follows them.
_CLIENT_COMMANDS: Final = """
add-dir agents bug clear color compact config context copy cost doctor effort exit export fast
feedback help hooks ide login logout mcp memory model output-style permissions plugin plugins
privacy-settings quit release-notes reload-plugins rename resume rewind sandbox skills stats
status statusline terminal-setup theme upgrade usage vim voice
"""
_FILLERS: Final = frozenset(_FILLER_WORDS.split())
_COMMANDS: Final = frozenset(_CLIENT_COMMANDS.split())
_MOST_FILLERS: Final = 6
_SHORTEST_WORD: Final = 4
_PLACEHOLDER: Final = re.compile(r"\[(?:Image|Pasted text) #\d{1,6}[^\]\n]{0,40}\]")
_WORD: Final = re.compile(r"[\w'\u2019-]+")
_WORD_SCRIPTS: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_COMMAND: Final = re.compile(r"/([\w:.-]+)")
# No more of a prompt is read.
_READ: Final = 2_000


def says_something(text: str) -> bool:
    """Return whether a prompt or a command tells what somebody wants."""
    said = _PLACEHOLDER.sub(" ", text[:_READ]).strip()
    command = _COMMAND.match(said)
    if command is not None:
        rest = said[command.end() :]
        is_path = rest.startswith("/")
        return is_path or (command[1] not in _COMMANDS and bool(rest.strip()))
    words = [word.strip("'\u2019-_").casefold() for word in _WORD.findall(said)]
    words = [word for word in words if any(map(str.isalpha, word))]
    if len(words) == 1 and not _is_telling(words[0]):
        return False
    return len(words) > _MOST_FILLERS or not all(word in _FILLERS for word in words)


def _is_telling(word: str) -> bool:
    """Return whether a single word is long enough to say something; some scripts need few signs."""
    return len(word) >= _SHORTEST_WORD or _WORD_SCRIPTS.search(word) is not None
