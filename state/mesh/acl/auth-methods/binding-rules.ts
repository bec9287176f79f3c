import { quoteGo } from '../../../go/text.ts'
import { renderMessage } from '../../../kernel/message.ts'
import type { StructShape } from '../../../kernel/shape/kinds.ts'
import { list, map, text } from '../../../kernel/shape/kinds.ts'
import { struct } from '../../../kernel/shape/members.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { compileMeshFilter } from '../../filter.ts'
import { nextIndex, touch } from '../../indexes.ts'
import { InterpolationError, interpolate, parseInterpolation } from '../../queries/interpolation.ts'
import { isUuid } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isInNamespace, namespacePrefix } from '../tables.ts'
import { isIdentityName, policyTemplates, variablesProblem } from '../templated-policies.ts'
import { authMethod, ruleDataKind } from './auth-methods.ts'
import { jwtConfigOf } from './config.ts'
import { type AuthMethod, type BindingRule, bindingRules, methodKey } from './tables.ts'

export type BindingRuleInput = Omit<
  BindingRule,
  'id' | 'namespace' | 'create_index' | 'modify_index'
>

/**
 * Returns the binding rule with this ID in a namespace; undefined if there is none. Throws a
 * refusal if the ID does not have 36 characters.
 */
export function bindingRule(world: World, namespace: string, id: string): BindingRule | undefined {
  if (!/^.{36}$/.test(id)) throw refuse('rule-id-invalid')
  const rule = world.table(bindingRules).get(id)
  return rule !== undefined && isInNamespace(rule, namespace) ? rule : undefined
}

/** Returns the binding rules of a namespace, or of one of its auth methods, ordered by ID. */
export function bindingRulesIn(
  world: World,
  namespace: string,
  method?: string,
): readonly BindingRule[] {
  const table = world.table(bindingRules)
  if (method === undefined) {
    return [...table.index('byNamespace').rows(namespacePrefix(namespace))]
  }
  return [...table.index('byMethod').rows(`${methodKey(namespace, method)}/`)]
}

const jwtSelectable = struct({ value: map(text), list: map(list(text)) })
const kubernetesSelectable = struct({
  serviceaccount: struct({ namespace: text, name: text, uid: text }),
})

/**
 * Returns the shape of the values that selectors can test. The shape depends on the type of the
 * method.
 */
export function selectableOf({ type }: Pick<AuthMethod, 'type'>): StructShape {
  return type === 'kubernetes' ? kubernetesSelectable : jwtSelectable
}

/**
 * Returns the variables that binding rules of a method may use. Each variable has a dummy value,
 * with which templates are validated.
 */
function availableNames({ type, config }: AuthMethod): ReadonlyMap<string, string> {
  const names =
    type === 'jwt'
      ? Object.values(jwtConfigOf(config).claims).map((claim) => `value.${claim}`)
      : ['namespace', 'name', 'uid'].map((name) => `serviceaccount.${name}`)
  return new Map(names.map((name) => [name, 'fake']))
}

/** Error for a binding rule that cannot be applied to a login. */
export class BindingError extends Error {}

function interpolateText(text: string, variables: ReadonlyMap<string, string>): string {
  try {
    return interpolate(parseInterpolation(text), { variables, match: undefined })
  } catch (error) {
    if (!(error instanceof InterpolationError)) throw error
    throw new BindingError(error.message)
  }
}

/**
 * Renders the `bind_name` of a binding rule with the variables of a login. Throws a BindingError if
 * the template or the rendered name is invalid.
 */
export function boundName(
  { bind_type, bind_name }: Pick<BindingRule, 'bind_type' | 'bind_name'>,
  variables: ReadonlyMap<string, string>,
): string {
  let name: string
  try {
    name = interpolateText(bind_name, variables)
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    throw new BindingError(`error interpreting template: ${error.message}`)
  }
  const isValid =
    bind_type === 'service' || bind_type === 'node'
      ? isIdentityName(name)
      : /^[A-Za-z0-9_/-]{1,256}$/.test(name)
  if (!isValid) throw new BindingError(`invalid bind name: ${quoteGo(name)}`)
  return name
}

/**
 * Renders the `bind_vars` of a binding rule, which are variables of a templated policy, with the
 * variables of a login. Returns undefined if the rule has no `bind_vars`. Throws a BindingError for
 * an unknown template and for invalid variables.
 */
export function boundVariables(
  { bind_name, bind_vars }: Pick<BindingRule, 'bind_name' | 'bind_vars'>,
  variables: ReadonlyMap<string, string>,
): { readonly name: string } | undefined {
  const template = policyTemplates.get(bind_name)
  if (template === undefined) {
    throw new BindingError(
      `Bind name for templated-policy bind type does not match existing template name: ${bind_name}`,
    )
  }
  const sent = bind_vars && { name: interpolateText(bind_vars.name ?? '', variables) }
  const problem = variablesProblem(template, sent)
  if (problem !== undefined) {
    throw new BindingError(`templated policy failed validation: ${renderMessage(problem)}`)
  }
  return sent
}

const bindTypes: ReadonlySet<string> = new Set(['service', 'node', 'role', 'policy'])

function bindingProblem(input: BindingRuleInput, method: AuthMethod): string | undefined {
  const { bind_type: type } = input
  const isTemplated = type === 'templated-policy'
  if (!isTemplated && !bindTypes.has(type)) {
    return `invalid Binding Rule: unknown BindType ${quoteGo(type)}`
  }
  try {
    const names = availableNames(method)
    if (isTemplated) boundVariables(input, names)
    else boundName(input, names)
    return undefined
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    return `failed to validate bindType ${quoteGo(type)}: ${error.message}`
  }
}

function validate(world: World, namespace: string, input: BindingRuleInput): void {
  const { auth_method, selector } = input
  if (auth_method === '') throw refuse('rule-methodless')
  const method = authMethod(world, namespace, auth_method)
  if (method === undefined) throw refuse('rule-method-unknown', { quoted: quoteGo(auth_method) })
  if (selector !== '') {
    const filter = compileMeshFilter(selector, selectableOf(method))
    if ('problem' in filter) throw refuse('rule-selector-invalid', { problem: filter.problem })
  }
  if (input.bind_type === '') throw refuse('rule-typeless')
  if (input.bind_name === '') throw refuse('rule-nameless')
  if (input.bind_type !== 'templated-policy' && input.bind_vars !== undefined) {
    throw refuse('rule-variables')
  }
  const problem = bindingProblem(input, method)
  if (problem !== undefined) throw refuse('rule-binding-invalid', { problem })
}

function storeBindingRule(world: World, row: Omit<BindingRule, 'modify_index'>): BindingRule {
  return world.write(() => {
    const stored = { ...row, modify_index: nextIndex(world) }
    world.table(bindingRules).put(row.id, stored)
    touch(world, ruleDataKind)
    return stored
  })
}

export function createBindingRule(
  world: World,
  namespace: string,
  input: BindingRuleInput,
): BindingRule {
  validate(world, namespace, input)
  const create_index = nextIndex(world)
  return storeBindingRule(world, { id: world.ids.uuid(), ...input, namespace, create_index })
}

/**
 * Replaces a binding rule. Throws a refusal if the ID is malformed or unknown, or if the rule
 * changes its auth method or is invalid.
 */
export function updateBindingRule(
  world: World,
  namespace: string,
  id: string,
  input: BindingRuleInput,
): BindingRule {
  if (!isUuid(id)) throw refuse('rule-id-no-uuid')
  const before = bindingRule(world, namespace, id)
  if (before === undefined) throw refuse('rule-unknown', { id })
  const auth_method = input.auth_method || before.auth_method
  if (auth_method !== before.auth_method) throw refuse('rule-method-changed')
  validate(world, namespace, { ...input, auth_method })
  const { create_index } = before
  return storeBindingRule(world, { id, ...input, auth_method, namespace, create_index })
}

/**
 * Deletes a binding rule. Throws a refusal if the ID does not have 36 characters (500) or is
 * unknown (404).
 */
export function deleteBindingRule(world: World, namespace: string, id: string): void {
  const rule = bindingRule(world, namespace, id)
  if (rule === undefined) throw refuse('nothing-to-delete', { noun: 'binding rule' })
  world.write(() => {
    world.table(bindingRules).delete(id)
    touch(world, ruleDataKind)
  })
}
