import { decodeBase64OrKeep } from '../../go/base64.ts'
import { quoteGo } from '../../go/text.ts'
import { canonicalJson, JsonError, parseJson } from '../../json/json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { aliasAt } from '../identity/aliases.ts'
import type { Entity } from '../identity/entities.ts'
import { allGroups } from '../identity/entity-policies.ts'
import type { Group } from '../identity/groups.ts'
import { timeValue } from '../identity/template-values.ts'
import { neutralAccessor } from '../mounts/types.ts'
import { templateOf } from '../policies/templates.ts'
import { refuse } from './messages.ts'

/** Claims that templates cannot define. */
export const reservedClaims: readonly string[] = [
  'iat',
  'aud',
  'exp',
  'iss',
  'sub',
  'namespace',
  'nonce',
  'auth_time',
  'at_hash',
  'c_hash',
]

/** Error for a template that cannot be evaluated, with the message of the reference. */
class TemplateError extends Error {}

const valueMissing = 'no value could be found for one of the template directives'

/**
 * The world and the entity for which a template is evaluated. The entity is undefined if a write
 * only checks the template.
 */
interface TemplateSubject {
  readonly world: World
  readonly entity: Entity | undefined
}

/**
 * Checks the template of a role or scope, and returns its stored form: a base64 template is
 * decoded.
 * @throws Refusal for a template that does not produce a JSON object, and for reserved claims
 */
export function checkedTemplate(world: World, encodedTemplate: string): string {
  const template = decodeBase64OrKeep(encodedTemplate)
  if (template === '') return template
  const claims = parsedTemplate(world, template)
  const claim = Object.keys(claims).find((name) => reservedClaims.includes(name))
  if (claim === undefined) return template
  const names = reservedClaims.join(', ')
  throw refuse('oidc-template-claim', { claim: quoteGo(claim), claims: names })
}

/**
 * Evaluates a template without an entity and returns its claims.
 * @throws Refusal for a template that does not produce a JSON object
 */
export function parsedTemplate(world: World, template: string): JsonObject {
  let text: string
  try {
    text = fillTemplate({ world, entity: undefined }, template)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw refuse('oidc-template-unreadable', { why: error.message })
  }
  const type = 'Go value of type map[string]interface {}'
  try {
    const value = parseJson(text)
    if (value === null) return {}
    if (isJsonObject(value)) return value
    throw refuse('oidc-template-no-json', {
      why: `json: cannot unmarshal ${kindOf(value)} into ${type}`,
    })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw refuse('oidc-template-no-json', { why: error.message })
  }
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number'
}

/**
 * Evaluates a template for an entity and returns its claims. As in the reference, returns no claims
 * for a template that cannot be evaluated.
 */
export function templateClaims(world: World, entity: Entity, template: string): JsonObject {
  try {
    const value = parseJson(fillTemplate({ world, entity }, template))
    return isJsonObject(value) ? value : {}
  } catch (error) {
    if (error instanceof TemplateError || error instanceof JsonError) return {}
    throw error
  }
}

/**
 * Replaces each `{{…}}` of a template with its value. Throws a TemplateError for unbalanced braces,
 * and for a directive without a value.
 */
function fillTemplate(subject: TemplateSubject, template: string): string {
  const parsed = templateOf(template)
  if (parsed === undefined) return template
  if (parsed === 'unbalanced') throw new TemplateError('unbalanced templating characters')
  const [first = '', ...texts] = parsed.texts
  return parsed.directives.reduce(
    (text, directive, at) => text + directiveValue(subject, directive) + (texts[at] ?? ''),
    first,
  )
}

function directiveValue(subject: TemplateSubject, directive: string): string {
  const [, scope, rest = ''] =
    /^(identity\.entity|identity\.groups|time)\.(.*)$/s.exec(directive) ?? []
  const { world, entity } = subject
  if (scope === 'identity.entity') return entityValue(world, entity, rest)
  const value =
    scope === 'time' ? timeValue(world, rest) : scope && groupValue(groupsOf(subject), rest)
  if (value === undefined) throw new TemplateError(valueMissing)
  return value
}

const groupsOf = ({ world, entity }: TemplateSubject) =>
  entity === undefined ? [] : allGroups(world, entity)

interface NamedItem {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>> | null
  readonly custom_metadata?: Readonly<Record<string, string>> | null
}

const unnamed: NamedItem = { id: '', name: '', metadata: null, custom_metadata: null }

function entityValue(world: World, entity: Entity | undefined, selector: string): string {
  const groups = selector === 'groups.names' || selector === 'groups.ids'
  if (groups) {
    const all = groupsOf({ world, entity })
    const listed = all.map((group) => (selector === 'groups.ids' ? group.id : group.name))
    return JSON.stringify(all.length === 0 ? null : listed)
  }
  const [, accessor, property] = /^aliases\.([^.]*)\.(.*)$/s.exec(selector) ?? []
  if (accessor === undefined || property === undefined) {
    if (selector.startsWith('aliases.')) throw new TemplateError('invalid alias selector')
    return namedValue(entity ?? unnamed, selector)
  }
  const alias = entity && aliasAt(world, entity, neutralAccessor(accessor))
  return namedValue(alias ?? unnamed, property)
}

function namedValue(row: NamedItem, property: string): string {
  if (property === 'id' || property === 'name') return quoteGo(row[property])
  const [, member, key] = /^((?:custom_)?metadata)(?:\.(.*))?$/s.exec(property) ?? []
  if (member !== 'metadata' && member !== 'custom_metadata') throw new TemplateError(valueMissing)
  const values = row[member] ?? {}
  if (key === undefined) return canonicalJson({ ...values })
  return quoteGo(Object.hasOwn(values, key) ? (values[key] ?? '') : '')
}

/**
 * Returns a property of a group; undefined for an unknown property. As in the reference, the value
 * is not quoted as JSON. Throws a TemplateError for an invalid selector, and if the group is not
 * among `groups`.
 */
function groupValue(groups: readonly Group[], selector: string): string | undefined {
  if (groups.length === 0) {
    throw new TemplateError(
      'string contains groups template directives but no groups were provided',
    )
  }
  const [, selectorKind, named, property = ''] =
    /^(ids|names)\.([^.]*)\.(.*)$/s.exec(selector) ?? []
  if (selectorKind === undefined) throw new TemplateError('invalid groups selector')
  const group = groups.find(({ id, name }) => (selectorKind === 'ids' ? id : name) === named)
  if (group === undefined) {
    throw new TemplateError(`entity is not a member of group ${quoteGo(named ?? '')}`)
  }
  if (property === 'id' || property === 'name') return group[property]
  const key = /^metadata\.(.*)$/s.exec(property)?.[1]
  return key === undefined ? undefined : group.metadata?.[key]
}
