"""MinHash, a Bloom filter, SHA-256 and CRC-32 by hand: constants that are not answers."""
import hashlib
import hmac
import struct
import uuid
import zlib

K = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]
FNV_OFFSET, FNV_PRIME, MASK = 2166136261, 16777619, 4294967295
LCG = (1103515245, 12345, 2147483648)
GOLDEN = 2654435761
MERSENNE = 2**61 - 1
NAMESPACE = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
SHOP_NAMESPACE = uuid.uuid5(NAMESPACE, "shop.example")
EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
EMPTY_SHA512 = "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
EMPTY_MD5 = "d41d8cd98f00b204e9800998ecf8427e"
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def fnv(text: str) -> int:
    value = FNV_OFFSET
    for byte in text.encode():
        value = ((value ^ byte) * FNV_PRIME) & MASK
    return value


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = (n >> 1) ^ 0xEDB88320 if n & 1 else n >> 1
        table.append(n)
    return table


def minhash(words, size=16):
    return [min(((fnv(w) * (2 * i + 1) + GOLDEN * i) % MERSENNE for w in words), default=0) for i in range(size)]


class Bloom:
    def __init__(self, bits=1 << 12, rounds=4):
        self.bits, self.rounds, self.field = bits, rounds, bytearray(bits // 8)

    def _places(self, text):
        digest = hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
        a, b = struct.unpack("<QQ", digest)
        return ((a + i * b) % self.bits for i in range(self.rounds))

    def add(self, text):
        for place in self._places(text):
            self.field[place >> 3] |= 1 << (place & 7)

    def __contains__(self, text):
        return all(self.field[p >> 3] & (1 << (p & 7)) for p in self._places(text))


def rotr(x, n):
    return ((x >> n) | (x << (32 - n))) & 0xFFFFFFFF


def key_of(problem):
    body = repr(sorted(problem.items())).encode()
    return f"{zlib.crc32(body):08x}-{hashlib.sha256(body).hexdigest()[:12]}-{hmac.new(b'salt', body, 'md5').hexdigest()[:4]}"


def agent_main(problem, find):
    assert hashlib.sha256(b"").hexdigest() == EMPTY_SHA256
    seen, cache = Bloom(), {}
    for offer in find(problem["goal_text"]):
        if offer["title"] not in seen:
            seen.add(offer["title"])
            cache[key_of(offer)] = offer, minhash(offer["title"].split()), str(uuid.uuid5(SHOP_NAMESPACE, offer["title"]))
    return max(cache.values(), key=lambda entry: len(entry[1]), default=None)
