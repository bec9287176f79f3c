import { createHash } from 'node:crypto'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { formatGoTime } from './go-time.ts'
import { refuse } from './messages.ts'
import { namesOfDialect } from './options.ts'
import { parseTemplate, TemplateError } from './template-parser.ts'
import {
  formatGo,
  maxTextLength,
  runTemplate,
  type TemplateFunction,
  type TemplateValue,
} from './template-run.ts'

/** The template of names when a role has none of its own (behaviour/secrets#orch). */
const defaultTemplate =
  '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (unix_time) (random 24) | truncate 62 | lowercase }}'

/** Bounds what a template's actions may do at most by their number. */
const maxTemplateLength = 16 * 1024

/** Refuses with `invalid` a template that does not parse. Empty text stands for the default one. */
export function checkNameTemplate(template: string): void {
  try {
    if (template.length > maxTemplateLength) throw new TemplateError('template: too long')
    if (template !== '') parseTemplate(template, functionNames)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw refuse('name-template-invalid', { why: error.message })
  }
}

/** The data that a template of names works with. */
interface NameData {
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
    return runTemplate(parseTemplate(source, functionNames), {
      data: { DisplayName: names.displayName, RoleName: names.roleName },
      dataType: namesOfDialect(optionsOf(world)).nameData,
      functions: functionsOf(world),
      source,
    })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw refuse('name-template-failed', { why: error.message })
  }
}

const text = String
const toInteger = Number

/** The functions of behaviour/secrets#orch, with the reference's arguments, and printf. */
const functionsOf = (world: World): Readonly<Record<FunctionName, TemplateFunction>> => ({
  random: { parameterTypes: ['int'], run: (length = 0) => random(world, toInteger(length)) },
  truncate: {
    parameterTypes: ['int', 'string'],
    run: (maxLength = 0, value = '') => truncate(maxLength, value),
  },
  truncate_sha256: {
    parameterTypes: ['int', 'string'],
    run: (maxLength = 0, value = '') => truncateSha256(toInteger(maxLength), text(value)),
  },
  uppercase: { parameterTypes: ['string'], run: (value = '') => text(value).toUpperCase() },
  lowercase: { parameterTypes: ['string'], run: (value = '') => text(value).toLowerCase() },
  replace: {
    parameterTypes: ['string', 'string', 'string'],
    run: (find = '', by = '', value = '') => replaceAll(text(find), text(by), text(value)),
  },
  sha256: { parameterTypes: ['string'], run: (value = '') => sha256(Buffer.from(text(value))) },
  base64: {
    parameterTypes: ['string'],
    run: (value = '') => Buffer.from(text(value)).toString('base64'),
  },
  unix_time: { parameterTypes: [], run: () => String(Math.floor(world.clock.now() / 1000)) },
  unix_time_millis: { parameterTypes: [], run: () => String(world.clock.now()) },
  timestamp: {
    parameterTypes: ['string'],
    run: (layout = '') => formatGoTime(world.clock.now(), text(layout)),
  },
  uuid: { parameterTypes: [], run: () => world.ids.uuid() },
  printf: {
    parameterTypes: ['string', 'any'],
    variadic: true,
    run: (form = '', ...values) => formatGo(text(form), values),
  },
})

const functionList = [
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
  'printf',
] as const

type FunctionName = (typeof functionList)[number]

const functionNames: ReadonlySet<string> = new Set(functionList)

function random(world: World, length: number): string {
  if (length < 0 || length > maxTextLength) throw new TemplateError(`bad length ${length}`)
  return world.ids.base62(length)
}

/** Cuts bytes, as Go's slices do; half a character becomes the one that stands for faults. */
function truncate(maxLength: TemplateValue, value: TemplateValue): string {
  const limit = toInteger(maxLength)
  if (limit <= 0) throw new TemplateError(`max length must be > 0 but was ${limit}`)
  return Buffer.from(text(value)).subarray(0, limit).toString()
}

const hashLength = 8

function truncateSha256(maxLength: number, value: string): string {
  if (maxLength <= hashLength)
    throw new TemplateError(`max length must be > 8 but was ${maxLength}`)
  const bytes = Buffer.from(value)
  if (bytes.length <= maxLength) return value
  const kept = maxLength - hashLength
  return bytes.subarray(0, kept).toString() + sha256(bytes.subarray(kept)).slice(0, hashLength)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** As Go's ReplaceAll; the sizes are known before there is a text of that size. */
function replaceAll(find: string, by: string, value: string): string {
  const times = find === '' ? value.length + 1 : value.split(find).length - 1
  if (times * by.length > maxTextLength) throw new TemplateError('the text is too long')
  return find === ''
    ? [by, ...Array.from(value, (character) => character + by)].join('')
    : value.replaceAll(find, () => by)
}
