import { decodeBase64OrKeep } from '../../go/base64.ts'
import { compareBytewise } from '../../json/json.ts'
import { name, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { PasswordPolicyError, parsePasswordPolicy } from './document.ts'
import {
  GenerationError,
  generatePassword,
  isSatisfiable,
  type PasswordRules,
} from './generator.ts'
import { refuse } from './messages.ts'

/** A stored password policy (behaviour/secrets#api-password-policies). */
const passwordPolicyShape = struct({
  /** Name, spelled as in the request; may contain slashes. */
  name,
  /** Document in HCL or JSON. A document that the request sent as base64 is stored decoded. */
  policy: text,
})
export interface PasswordPolicy extends StoredOf<typeof passwordPolicyShape> {}

/** Password policies by `<namespace id>/<name>`. */
export const passwordPolicies = secretsTable('password-policies', passwordPolicyShape, {
  secrets: 'none',
})

const minLength = 4
const maxLength = 100

/** Returns the names of the password policies in a namespace, sorted bytewise. */
export function passwordPolicyNames(world: World, namespace: Namespace): string[] {
  const rows = world.table(passwordPolicies).rows(`${namespace.id}/`)
  return Array.from(rows, ({ name }) => name).sort(compareBytewise)
}

/**
 * Returns a password policy. Throws an `absent` refusal (`policy does not exist`) for an unknown
 * name.
 */
export function readPasswordPolicy(
  world: World,
  namespace: Namespace,
  name: string,
): PasswordPolicy {
  const found = world.table(passwordPolicies).get(keyOf(namespace, name))
  if (found === undefined) throw refuse('password-policy-absent')
  return found
}

/**
 * Creates or replaces a password policy. Decodes the document first if all of it is standard
 * base64.
 *
 * @throws Refusal `invalid`, in the order of behaviour/secrets#password-policies
 */
export function writePasswordPolicy(
  world: World,
  namespace: Namespace,
  name: string,
  document: string,
): void {
  if (document === '') throw refuse('password-policy-missing')
  const policy = decodeBase64OrKeep(document)
  const rules = parseOrRefuse(policy)
  if (rules.length < minLength || rules.length > maxLength) {
    throw refuse('password-length-limits', { shortest: minLength, longest: maxLength })
  }
  if (!isSatisfiable(world, rules)) throw refuse('password-trial-failed')
  world.write(() => world.table(passwordPolicies).put(keyOf(namespace, name), { name, policy }))
}

/** Deletes a password policy, even if engines use it. Does nothing for an unknown name. */
export function deletePasswordPolicy(world: World, namespace: Namespace, name: string): void {
  world.write(() => world.table(passwordPolicies).delete(keyOf(namespace, name)))
}

/**
 * Generates a password with a stored policy, for requests and for engines that create credentials.
 *
 * @throws Refusal `absent` (`policy does not exist`), and an internal failure if the stored policy
 *   is invalid, has more than 256 different characters, or has rules that are too hard to satisfy
 */
export function passwordByPolicy(world: World, namespace: Namespace, name: string): string {
  const rules = world.derived(readPasswordPolicy(world, namespace, name), parseStoredPolicy)
  if (rules === undefined) throw refuse('stored-password-policy-broken')
  try {
    return generatePassword(world, rules)
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error
    throw refuse('password-not-generated', { why: error.message })
  }
}

/**
 * Parses a stored policy. Returns undefined for an invalid document, which only imported state can
 * contain.
 */
function parseStoredPolicy({ policy }: PasswordPolicy): PasswordRules | undefined {
  try {
    return parsePasswordPolicy(policy)
  } catch (error) {
    if (error instanceof PasswordPolicyError) return undefined
    throw error
  }
}

function parseOrRefuse(policy: string): PasswordRules {
  try {
    return parsePasswordPolicy(policy)
  } catch (error) {
    if (!(error instanceof PasswordPolicyError)) throw error
    throw refuse('password-policy-invalid', { problem: error.reason })
  }
}

function keyOf(namespace: Namespace, name: string): string {
  return `${namespace.id}/${name}`
}
