/** Greek letters with an iota below, which in capitals stands beside the letter or stays below. */
const withIota = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/
const otherCapitals: Readonly<Record<string, string>> = { ᾳ: 'ᾼ', ῃ: 'ῌ', ῳ: 'ῼ' }

/** Letters made of two, of which only the first is a capital at the start of a word. */
const titles: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǅ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǈ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǋ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǲ: 'ǲ',
  ǳ: 'ǲ',
}

/** Georgian has capitals only for texts that are all capitals. */
const withoutTitle = /^[\u10d0-\u10ff]$/

/** Text in capitals as Go's strings.ToUpper has it: each character stays one, so `ß` stays. */
export function upperCase(text: string): string {
  return Array.from(text, upperOf).join('')
}

/** Text in small letters as Go's strings.ToLower has it, whatever stands around a letter. */
export function lowerCase(text: string): string {
  return Array.from(text, lowerOf).join('')
}

/** Text with a capital at the start of each word as Go's strings.Title has it. */
export function titleCase(text: string): string {
  let previous = ' '
  return Array.from(text, (character) => {
    const starts = separates(previous)
    previous = character
    if (!starts || withoutTitle.test(character)) return character
    return titles[character] ?? upperOf(character)
  }).join('')
}

function upperOf(character: string): string {
  const upper = character.toUpperCase()
  if (isSingle(upper)) return upper
  if (withIota.test(character)) return String.fromCharCode(character.charCodeAt(0) + 8)
  return otherCapitals[character] ?? character
}

function lowerOf(character: string): string {
  // In a text of its own a letter has nothing around it.
  const lower = character.toLowerCase()
  return isSingle(lower) ? lower : Array.from(lower).slice(0, 1).join('')
}

function isSingle(text: string): boolean {
  return text.length === 1 || Array.from(text).length === 1
}

/** Whether a word can start after a character: letters and digits of any script are within one. */
function separates(character: string): boolean {
  if (character < '\u0080') return !/\w/.test(character)
  return isSpace(character) && !/[\p{L}\p{Nd}]/u.test(character)
}

/** What Go's unicode.IsSpace takes for space. */
export function isSpace(character: string): boolean {
  return /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/.test(character)
}
