import { createHash } from 'node:crypto'
import type { World } from '../../kernel/world.ts'
import { invalid, raised } from '../refusals.ts'
import { formatGoTime } from './go-time.ts'
import { longestText, TemplateError } from './template-lexer.ts'
import { parseTemplate, type TemplateNode } from './template-parser.ts'
import { isTrue, runTemplate, type TemplateFunction } from './template-run.ts'
import { formatGo, goType, printValue, type TemplateValue } from './template-text.ts'

/** What a name is made of when a role has no template of its own (1-secrets-decisions.md section 9). */
const defaultTemplate =
  '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (unix_time) (random 24) | truncate 62 | lowercase }}'

/** What a template's actions may do at most is bounded by their number. */
const longestTemplate = 16 * 1024

/** Refuses with `invalid` a template that does not parse. Empty text stands for the default one. */
export function checkNameTemplate(template: string): void {
  try {
    if (template.length > longestTemplate) throw new TemplateError('template: too long')
    if (template !== '') parseTemplate(template, functionNames)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw invalid(`unable to initialize name template: unable to parse template: ${error.message}`)
  }
}

/** What a template of names works with. */
export interface NameData {
  /** Of the token that asks for credentials. */
  readonly displayName: string
  readonly roleName: string
}

/**
 * Makes the name of generated objects. Refuses with `invalid` when the template, which parses, comes
 * to nothing: a wrong field, a wrong argument.
 */
export function generateName(world: World, template: string, names: NameData): string {
  const source = template === '' ? defaultTemplate : template
  try {
    return runTemplate(nodesOf(source), {
      data: { DisplayName: names.displayName, RoleName: names.roleName },
      dataType: 'orch.nameMetadata',
      functions: { ...builtIns, ...functionsOf(world) },
      source,
    })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const why = `failed to generate name: unable to apply template: ${error.message}`
    throw raised('invalid', why, { internalInReference: true })
  }
}

function nodesOf(source: string): readonly TemplateNode[] {
  return parseTemplate(source, functionNames)
}

const text = (value: TemplateValue): string => printValue(value)
const whole = (value: TemplateValue): number => Number(value)

/** The functions of 1-secrets-decisions.md section 9, with the reference's arguments. */
const functionsOf = (world: World): Readonly<Record<FunctionName, TemplateFunction>> => ({
  random: { takes: ['int'], run: (length = 0) => random(world, whole(length)) },
  truncate: { takes: ['int', 'string'], run: (most = 0, value = '') => truncate(most, value) },
  truncate_sha256: {
    takes: ['int', 'string'],
    run: (most = 0, value = '') => truncateSha256(whole(most), text(value)),
  },
  uppercase: { takes: ['string'], run: (value = '') => text(value).toUpperCase() },
  lowercase: { takes: ['string'], run: (value = '') => text(value).toLowerCase() },
  replace: {
    takes: ['string', 'string', 'string'],
    run: (find = '', by = '', value = '') => replaceAll(text(find), text(by), text(value)),
  },
  sha256: { takes: ['string'], run: (value = '') => sha256(Buffer.from(text(value))) },
  base64: { takes: ['string'], run: (value = '') => Buffer.from(text(value)).toString('base64') },
  unix_time: { takes: [], run: () => String(Math.floor(world.clock.now() / 1000)) },
  unix_time_millis: { takes: [], run: () => String(world.clock.now()) },
  timestamp: {
    takes: ['string'],
    run: (layout = '') => formatGoTime(world.clock.now(), text(layout)),
  },
  uuid: { takes: [], run: () => world.ids.uuid() },
})

const ownNames = [
  'random',
  'truncate',
  'truncate_sha256',
  'uppercase',
  'lowercase',
  'replace',
  'sha256',
  'base64',
  'unix_time',
  'unix_time_millis',
  'timestamp',
  'uuid',
] as const

type FunctionName = (typeof ownNames)[number]

const any: Pick<TemplateFunction, 'takes' | 'variadic'> = { takes: ['any'], variadic: true }
const oneOrMore: Pick<TemplateFunction, 'takes' | 'variadic'> = {
  takes: ['any', 'any'],
  variadic: true,
}

/** The functions that every Go template has, as far as names may need them. */
const builtIns: Readonly<Record<string, TemplateFunction>> = {
  print: { ...any, run: (...values) => spaced(values) },
  println: { ...any, run: (...values) => `${values.map(printValue).join(' ')}\n` },
  printf: {
    takes: ['string', 'any'],
    variadic: true,
    run: (form = '', ...values) => formatGo(text(form), values),
  },
  len: { takes: ['string'], run: (value = '') => Buffer.byteLength(text(value)) },
  not: { takes: ['any'], run: (value = null) => !isTrue(value) },
  and: {
    ...oneOrMore,
    run: (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1) ?? null,
  },
  or: { ...oneOrMore, run: (...values) => values.find(isTrue) ?? values.at(-1) ?? null },
  eq: { ...oneOrMore, run: (first = null, ...others) => equalsAny(first, others) },
  ne: { takes: ['any', 'any'], run: (first = null, other = null) => !equals(first, other) },
}

const functionNames: ReadonlySet<string> = new Set([...ownNames, ...Object.keys(builtIns)])

function random(world: World, length: number): string {
  if (length < 0 || length > longestText) throw new TemplateError(`bad length ${length}`)
  return world.ids.base62(length)
}

/** Cuts bytes, as Go's slices do; half a character becomes the one that stands for faults. */
function truncate(most: TemplateValue, value: TemplateValue): string {
  const limit = whole(most)
  if (limit <= 0) throw new TemplateError(`max length must be > 0 but was ${limit}`)
  return Buffer.from(text(value)).subarray(0, limit).toString()
}

const hashLength = 8

function truncateSha256(most: number, value: string): string {
  if (most <= hashLength) throw new TemplateError(`max length must be > 8 but was ${most}`)
  const bytes = Buffer.from(value)
  if (bytes.length <= most) return value
  const kept = most - hashLength
  return bytes.subarray(0, kept).toString() + sha256(bytes.subarray(kept)).slice(0, hashLength)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** As Go's ReplaceAll; the sizes are known before there is a text of that size. */
function replaceAll(find: string, by: string, value: string): string {
  const times = find === '' ? value.length + 1 : value.split(find).length - 1
  if (times * by.length > longestText) throw new TemplateError('the text is too long')
  return find === ''
    ? [by, ...Array.from(value, (character) => character + by)].join('')
    : value.replaceAll(find, () => by)
}

/** Go's Sprint: blanks between values of which neither is text. */
function spaced(values: readonly TemplateValue[]): string {
  return values.reduce<string>((line, value, at) => {
    const before = values[at - 1]
    const apart = at > 0 && typeof before !== 'string' && typeof value !== 'string'
    return line + (apart ? ' ' : '') + printValue(value)
  }, '')
}

function equalsAny(first: TemplateValue, others: readonly TemplateValue[]): boolean {
  if (others.length === 0) throw new TemplateError('missing argument for comparison')
  return others.some((other) => equals(first, other))
}

function equals(first: TemplateValue, other: TemplateValue): boolean {
  if (goType(first, 'struct') !== goType(other, 'struct')) {
    throw new TemplateError('incompatible types for comparison')
  }
  return first === other
}
