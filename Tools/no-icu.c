// The data file of ICU without a table, which ICU calls stub data. Yams, TextTable and Rainbow import Foundation, which
// adds 34 MB of names of languages, time zones and currencies to a static binary. The lab uses none of these names. The
// Makefile links this file in their place.
#include <stdint.h>

const struct {
  uint16_t headerSize;
  uint8_t magic[2];
  uint16_t infoSize, reserved;
  uint8_t isBigEndian, charset, sizeofUChar, reservedByte;
  uint8_t format[4], formatVersion[4], dataVersion[4];
  uint8_t padding[8];
  uint32_t count, none;
} __attribute__((aligned(16))) ICU_DATA = {
  32, {0xda, 0x27}, 20, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 0, 2, 0, {'C', 'm', 'n', 'D'}, {1, 0, 0, 0}, {0}, {0}, 0, 0,
};
