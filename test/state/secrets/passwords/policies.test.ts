import { describe, expect, test } from 'vitest'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import {
  deletePasswordPolicy,
  passwordByPolicy,
  passwordPolicies,
  passwordPolicyNames,
  readPasswordPolicy,
  writePasswordPolicy,
} from '../../../../state/secrets/passwords/policies.ts'
import { invalid, refusalOf, secretsWorld } from '../system-world.ts'

const team = { id: 'abcde', path: 'team/', custom_metadata: {} }
const document = 'length = 8 rule "charset" { charset = "abc" }'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const noPolicy = { kind: 'absent', message: 'policy does not exist' }

describe('behaviour/secrets#password-policies: the password policies of a namespace', () => {
  // choice/secrets#password-policy-list
  test('names are sorted bytewise and may contain slashes', () => {
    const world = secretsWorld()
    for (const name of ['b', 'a/c', 'B', 'a']) {
      writePasswordPolicy(world, rootNamespace, name, document)
    }
    writePasswordPolicy(world, team, 'own', document)
    expect(passwordPolicyNames(world, rootNamespace)).toEqual(['B', 'a', 'a/c', 'b'])
    expect(passwordPolicyNames(world, team)).toEqual(['own'])
  })

  test('a document is stored as sent, or decoded from base64', () => {
    const world = secretsWorld()
    const paddedDocument = `  ${document}\n# "end"\n`
    const wrapped = base64(paddedDocument).replace(/.{20}/g, '$&\r\n')
    for (const input of [paddedDocument, base64(paddedDocument), wrapped]) {
      writePasswordPolicy(world, rootNamespace, 'a', input)
      expect(readPasswordPolicy(world, rootNamespace, 'a')).toEqual({
        name: 'a',
        policy: paddedDocument,
      })
    }
  })

  test('base64 without its padding is text', () => {
    const world = secretsWorld()
    const write = () =>
      writePasswordPolicy(world, rootNamespace, 'a', base64(document).slice(0, -1))
    expect(refusalOf(write)?.message).toMatch(/^invalid password policy: unable to decode: At 1:/)
  })

  test('deleting removes it; an unknown one is ignored', () => {
    const world = secretsWorld()
    writePasswordPolicy(world, rootNamespace, 'a', document)
    deletePasswordPolicy(world, rootNamespace, 'a')
    deletePasswordPolicy(world, rootNamespace, 'a')
    expect(passwordPolicyNames(world, rootNamespace)).toEqual([])
    expect(refusalOf(() => readPasswordPolicy(world, rootNamespace, 'a'))).toEqual(noPolicy)
    expect(refusalOf(() => passwordByPolicy(world, rootNamespace, 'a'))).toEqual(noPolicy)
  })

  test('policies of another namespace do not exist', () => {
    const world = secretsWorld()
    writePasswordPolicy(world, team, 'own', document)
    expect(refusalOf(() => readPasswordPolicy(world, rootNamespace, 'own'))).toEqual(noPolicy)
    expect(passwordByPolicy(world, team, 'own')).toMatch(/^[abc]{8}$/)
  })

  test.each([
    ['no document', '', 'missing policy'],
    [
      'three characters',
      document.replace('8', '3'),
      'passwords must be between 4 and 100 characters',
    ],
    [
      '101 characters',
      document.replace('8', '101'),
      'passwords must be between 4 and 100 characters',
    ],
    [
      'an impossible rule',
      `${document} rule "charset" { charset = "" min-chars = 1 }`,
      'unable to construct test password from provided policy: are the rules impossible?',
    ],
    [
      'a bad document',
      'length = 0',
      'invalid password policy: 2 errors occurred:\n\t* length must be > 0\n\t* no charset specified\n\n',
    ],
  ])('%s is refused and changes nothing', (_, input, message) => {
    const world = secretsWorld()
    writePasswordPolicy(world, rootNamespace, 'a', document)
    expect(refusalOf(() => writePasswordPolicy(world, rootNamespace, 'a', input))).toEqual(
      invalid(message),
    )
    expect(readPasswordPolicy(world, rootNamespace, 'a').policy).toBe(document)
  })

  test.each([4, 100])('%s characters are accepted', (length) => {
    const world = secretsWorld()
    writePasswordPolicy(world, rootNamespace, 'a', document.replace('8', String(length)))
    expect(passwordByPolicy(world, rootNamespace, 'a')).toHaveLength(length)
  })

  test('a changed policy applies at once', () => {
    const world = secretsWorld()
    writePasswordPolicy(world, rootNamespace, 'a', document)
    expect(passwordByPolicy(world, rootNamespace, 'a')).toMatch(/^[abc]{8}$/)
    writePasswordPolicy(world, rootNamespace, 'a', document.replace('abc', 'xyz'))
    expect(passwordByPolicy(world, rootNamespace, 'a')).toMatch(/^[xyz]{8}$/)
  })

  test('an invalid document from imported state generates no password', () => {
    const world = secretsWorld()
    world.write(() => world.table(passwordPolicies).put('root/a', { name: 'a', policy: '{' }))
    expect(refusalOf(() => passwordByPolicy(world, rootNamespace, 'a'))).toEqual({
      kind: 'unavailable',
      message: 'stored password policy configuration failed to parse',
    })
  })
})
