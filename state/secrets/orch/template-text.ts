import { isPrintable, quoteGo } from '../../go/text.ts'
import { longestText, TemplateError } from './template-lexer.ts'

/** Values of templates. */
export type TemplateValue = string | number | boolean | null | Readonly<Record<string, string>>

/** Go's name for the type of a value. */
export function goType(value: TemplateValue, dataType: string): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64'
  return value === null ? 'nil' : dataType
}

/** A value as Go's `%v` prints it. */
export function printValue(value: TemplateValue): string {
  if (value === null) return '<no value>'
  return typeof value === 'object' ? `{${Object.values(value).join(' ')}}` : String(value)
}

/** Wider fields than Go allows. */
const widest = 1_000_000

const directive = /%([-+# 0]*)(\d*)(?:\.(\d*))?([\s\S]?)/gu

/** Go's fmt.Sprintf for the verbs that texts and whole numbers need: v s q d x X t c %. */
export function formatGo(form: string, values: readonly TemplateValue[]): string {
  let used = 0
  let size = 0
  const text = form.replace(directive, (_, flags, width, precision, verb) => {
    if (verb === '%') return '%'
    if (verb === '') return '%!(NOVERB)'
    const value = values[used]
    used += 1
    if (value === undefined) return `%!${verb}(MISSING)`
    const least = Number(width)
    if (least > widest) return '%!(BADWIDTH)'
    size += least
    if (size > longestText) throw new TemplateError('the text is too long')
    const cut = precision === undefined ? undefined : Number(precision)
    const printed = printVerb(verb, value, cut, flags)
    const fill = flags.includes('0') && !flags.includes('-') ? '0' : ' '
    return flags.includes('-') ? printed.padEnd(least) : printed.padStart(least, fill)
  })
  const extra = values.slice(used).map((value) => `${goType(value, 'struct')}=${printValue(value)}`)
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`
}

function printVerb(
  verb: string,
  value: TemplateValue,
  precision: number | undefined,
  flags: string,
): string {
  if (verb === 'v') return printValue(value)
  if (typeof value === 'string') {
    const text = precision === undefined ? value : Array.from(value).slice(0, precision).join('')
    if (verb === 's') return text
    if (verb === 'q') {
      return flags.includes('#') && isPrintable(text) && !text.includes('`')
        ? `\`${text}\``
        : quoteGo(text)
    }
    if (verb === 'x') return Buffer.from(text).toString('hex')
    if (verb === 'X') return Buffer.from(text).toString('hex').toUpperCase()
  }
  if (typeof value === 'number' && Number.isInteger(value)) {
    const sign = flags.includes('+') && value >= 0 ? '+' : ''
    if (verb === 'd') return sign + String(value)
    if (verb === 'x') return sign + value.toString(16)
    if (verb === 'X') return sign + value.toString(16).toUpperCase()
    if (verb === 'c')
      return value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd'
  }
  if (typeof value === 'boolean' && verb === 't') return String(value)
  return `%!${verb}(${goType(value, 'struct')}=${printValue(value)})`
}
