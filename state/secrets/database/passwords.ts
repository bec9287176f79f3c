import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { generatePassword, type PasswordRules } from '../passwords/generator.ts'
import { passwordByPolicy, passwordPolicyNames } from '../passwords/policies.ts'
import { refuse } from './messages.ts'

const charactersBetween = (from: string, to: string) =>
  Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, at) =>
    String.fromCharCode(from.charCodeAt(0) + at),
  )

/** The reference's rules for passwords if no password policy is named. */
const defaultRules: PasswordRules = {
  length: 20,
  rules: [
    charactersBetween('a', 'z'),
    charactersBetween('A', 'Z'),
    charactersBetween('0', '9'),
    ['-'],
  ].map((charset) => ({
    charset,
    minChars: 1,
  })),
}

/**
 * Generates a password for a database user.
 *
 * @param policy name of a password policy; empty for the default rules
 * @throws Refusal `invalid` if there is no such policy
 */
export function databasePassword(world: World, namespace: Namespace, policy: string): string {
  if (policy === '') return generatePassword(world, defaultRules)
  if (!passwordPolicyNames(world, namespace).includes(policy)) {
    throw refuse('database-password-policy-absent')
  }
  return passwordByPolicy(world, namespace, policy)
}
