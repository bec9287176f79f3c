import { instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { checkPlainName, isBlank, type TextInput, updatedText } from '../names.ts'
import { contentOf, putContent, removeContent } from '../objects.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { Violations } from '../violations.ts'
import { dropPolicyFromSets } from './policy-sets.ts'

export const policyAttributes = {
  name: text,
  description: nullable(text),
  kind: word('sentinel', 'opa'),
  /** Query that an `opa` policy evaluates; null for `sentinel`. */
  query: nullable(text),
  enforcement_level: word('hard-mandatory', 'soft-mandatory', 'mandatory', 'advisory'),
  updated_at: nullable(instant),
}

const policyShape = struct({
  ...policyAttributes,
  /** Id of the form `pol-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
})

/**
 * A policy. The mock stores the text of a policy but does not evaluate the text. `alwaysFails` only
 * recognizes constant policies that fail (behaviour/platform#policies).
 */
export interface Policy extends StoredOf<typeof policyShape> {}

/** Policies by `<organization>/<number>`, in creation order. */
export const policies = platformTable('policies', policyShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, byName: ({ organization, name }) => `${organization}/${name}` },
})

const rows = ownedRows(policies, 'organization')

/** Functions of `ownedRows` for the policies of an organization. Lists are in creation order. */
export const { of: policiesOf, withId: policyWithId } = rows

const policyNamed = lookupByName(policies)

/** Allowed enforcement levels for each kind of policy. */
const levelsByKind = {
  sentinel: ['hard-mandatory', 'soft-mandatory', 'advisory'],
  opa: ['mandatory', 'advisory'],
} as const

/** Attributes in a request that creates or changes a policy. A null `name` is treated as blank. */
type PolicyInput = TextInput<'name' | 'description' | 'kind' | 'query' | 'enforcement_level'>

/** Creates a policy without a text. Throws 422 for invalid attributes. */
export function createPolicy(world: World, organization: string, input: PolicyInput): Policy {
  const violations = new Violations()
  const { kind: sent = 'sentinel' } = input
  const kind = (['sentinel', 'opa'] as const).find((each) => each === sent)
  if (kind === undefined) violations.add('kind', 'not-listed')
  return store(world, input, violations, {
    id: newId(world, 'pol'),
    organization,
    name: '',
    description: null,
    kind: kind ?? 'sentinel',
    query: null,
    enforcement_level: 'advisory',
    updated_at: null,
  })
}

/** Changes the given members of a policy, except the kind. Throws 422 for invalid attributes. */
export function changePolicy(world: World, before: Policy, input: PolicyInput): Policy {
  const changed = { ...before, updated_at: world.clock.now() }
  return store(world, input, new Violations(), changed)
}

function store(world: World, input: PolicyInput, violations: Violations, before: Policy): Policy {
  const { organization, kind } = before
  const name = updatedText(input.name, before.name)
  checkPlainName(violations, name, before, policyNamed(world, organization, name))
  const { description = before.description } = input
  const query = kind === 'opa' ? (input.query ?? before.query) : null
  if (kind === 'opa' && isBlank(query)) violations.add('query', 'blank')
  const level = input.enforcement_level ?? before.enforcement_level
  const enforcement_level = levelsByKind[kind].find((each) => each === level)
  if (enforcement_level === undefined) violations.add('enforcement-level', 'not-listed')
  if (violations.hasAny || enforcement_level === undefined) throw violations.refusal()
  return world.write(() =>
    rows.put(world, { ...before, name, query, description, enforcement_level }),
  )
}

/** Maximum size of a policy's text in bytes: 10 MiB. */
const maxSize = 10 * 1024 * 1024

/** Stores the text of a policy. Throws 413 if the text is too large. */
export function uploadPolicy(world: World, { id }: Policy, content: string): void {
  const bytes = Buffer.from(content)
  if (bytes.length > maxSize) throw refuse('upload-too-large')
  world.write(() => {
    removeContent(world, id)
    putContent(world, id, [bytes.toString('base64')])
  })
}

/** Returns the text of a policy; undefined if it was not uploaded. */
export function policyText(world: World, { id }: Policy): string | undefined {
  const pieces = contentOf(world, id)
  if (pieces.length === 0) return undefined
  return pieces.map((piece) => Buffer.from(piece, 'base64').toString()).join('')
}

const failingSentinelPattern = /^\s*main\s*=\s*rule\s*\{\s*false\s*\}\s*$/
const failingRegoPattern = /^\s*package\s+([\w.]+)\s+(\w+)\s*\[[^\]]*\]\s*\{\s*true\s*\}\s*$/

/**
 * Returns whether a policy always fails. The mock recognizes two forms: a `sentinel` policy whose
 * text is the rule `main` with the value `false`, and an `opa` policy whose text is a rule with the
 * body `true` and whose query names this rule. All other policies pass unless the outcome of the
 * run contains another result.
 */
export function alwaysFails(world: World, policy: Policy): boolean {
  const lines = (policyText(world, policy) ?? '').split('\n')
  const text = lines.map((line) => line.replace(/#|\/\//, '\n').split('\n')[0]).join('\n')
  if (policy.kind === 'sentinel') return failingSentinelPattern.test(text)
  const [, name, rule] = failingRegoPattern.exec(text) ?? []
  return policy.query?.trim() === `data.${name}.${rule}`
}

/** Deletes a policy and removes it from all policy sets. */
export function deletePolicy(world: World, { id, organization }: Policy): void {
  world.write(() => {
    removeContent(world, id)
    dropPolicyFromSets(world, organization, id)
    rows.drop(world, { id })
  })
}

/** Deletes the policies of an organization. Must run inside a transaction. */
export function dropPolicies(world: World, organization: string): void {
  for (const { id } of rows.of(world, organization)) removeContent(world, id)
  rows.dropAll(world, organization)
}

/** Function that moves the policies of a renamed organization. Must run inside a transaction. */
export const movePolicies = rows.move
