import { describe, expect, test } from 'vitest'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { capabilitiesOf } from '../../../../state/secrets/policies/acl.ts'
import {
  deletePolicy,
  hasPolicy,
  policyNames,
  readPolicy,
  seedNamespacePolicies,
  writePolicy,
} from '../../../../state/secrets/policies/policies.ts'
import { freshWorld, makeToken } from '../fresh-world.ts'

const team = { id: 'abcde', path: 'team/', custom_metadata: {} }
const document = 'path "a" { capabilities = ["read"] }'

describe('behaviour/secrets#policies: the policies of a namespace', () => {
  test('names are sorted, root comes last', () => {
    const world = freshWorld()
    for (const name of ['zebra', 'Ape']) writePolicy(world, rootNamespace, name, document)
    expect(policyNames(world, rootNamespace)).toEqual(['ape', 'default', 'zebra', 'root'])
  })

  test('a namespace has policies of its own, without root', () => {
    const world = freshWorld()
    seedNamespacePolicies(world, team)
    writePolicy(world, team, 'own', document)
    expect(policyNames(world, team)).toEqual(['default', 'own'])
    expect(hasPolicy(world, team, 'root')).toBe(false)
    expect(hasPolicy(world, rootNamespace, 'own')).toBe(false)
  })

  test('reading returns the document as sent; names are case-insensitive', () => {
    const world = freshWorld()
    writePolicy(world, rootNamespace, 'One', document)
    expect(readPolicy(world, rootNamespace, 'ONE')).toEqual({ name: 'one', policy: document })
    expect(readPolicy(world, rootNamespace, 'root')).toEqual({ name: 'root', policy: '' })
    expect(() => readPolicy(world, rootNamespace, 'ghost')).toThrow(
      expect.objectContaining({ kind: 'absent', detail: { unenveloped: true } }),
    )
  })

  test('base64 is decoded, other text is stored unchanged', () => {
    const world = freshWorld()
    writePolicy(world, rootNamespace, 'a', Buffer.from(document).toString('base64'))
    expect(readPolicy(world, rootNamespace, 'a').policy).toBe(document)
  })

  test('deleting removes it; an unknown one is ignored', () => {
    const world = freshWorld()
    writePolicy(world, rootNamespace, 'a', document)
    deletePolicy(world, rootNamespace, 'A')
    deletePolicy(world, rootNamespace, 'ghost')
    expect(policyNames(world, rootNamespace)).toEqual(['default', 'root'])
  })

  test.each([
    ['an empty document', 'a', '', "'policy' parameter not supplied or empty"],
    [
      'a bad capability',
      'a',
      'path "x" { capabilities = ["y"] }',
      'failed to parse policy: path "x": invalid capability "y"',
    ],
    ['root', 'Root', document, 'cannot update "root" policy'],
    ['that of wrapping', 'response-wrapping', document, 'cannot update "response-wrapping" policy'],
    ['that of control groups', 'control-group', document, 'cannot update "control-group" policy'],
  ])('writing %s is refused', (_, name, input, message) => {
    const world = freshWorld()
    expect(() => writePolicy(world, rootNamespace, name, input)).toThrow(
      expect.objectContaining({ kind: 'invalid', message }),
    )
    expect(policyNames(world, rootNamespace)).toEqual(['default', 'root'])
  })

  test.each([
    ['ROOT', 'cannot delete "root" policy'],
    ['response-wrapping', 'cannot delete "response-wrapping" policy'],
    ['control-group', 'cannot delete "control-group" policy'],
    ['default', 'cannot delete default policy'],
  ])('deleting %s is refused', (name, message) => {
    const world = freshWorld()
    expect(() => deletePolicy(world, rootNamespace, name)).toThrow(
      expect.objectContaining({ kind: 'invalid', message }),
    )
  })
})

describe('behaviour/secrets#policies: rights granted by the policy default', () => {
  test.each([
    ['auth/token/lookup-self', ['read']],
    ['auth/token/renew-self', ['update']],
    ['auth/token/revoke-self', ['update']],
    ['sys/capabilities-self', ['update']],
    ['sys/leases/renew', ['update']],
    ['sys/leases/lookup', ['update']],
    ['cubbyhole/any/thing', ['create', 'delete', 'list', 'read', 'update']],
    ['sys/wrapping/wrap', ['update']],
    ['sys/wrapping/lookup', ['update']],
    ['sys/wrapping/unwrap', ['update']],
    ['auth/token/create', ['deny']],
    ['sys/leases/revoke', ['deny']],
    ['secret/data/x', ['deny']],
  ])('%s: %j', (path, expected) => {
    const world = freshWorld()
    expect(capabilitiesOf(world, makeToken(world), path)).toEqual(expected)
  })
})
