import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { Worlds } from '../../../../state/kernel/worlds/worlds.ts'
import { bootstrapAcls, bootstrapShape } from '../../../../state/scheduler/acl/bootstrap.ts'
import { schedulerCaller } from '../../../../state/scheduler/acl/callers.ts'
import { aclTokenShape } from '../../../../state/scheduler/acl/tables.ts'
import {
  deleteToken,
  listTokens,
  putToken,
  readOwnToken,
  readToken,
} from '../../../../state/scheduler/acl/tokens.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { dataIndex, lastIndex } from '../../../../state/scheduler/indexes.ts'
import { schedulerService } from '../../../../state/scheduler/service.ts'
import { start } from '../../../support/kernel.ts'
import { aclWorld, clientToken, manager, policy } from '../../../support/scheduler/scheduler-acl.ts'

function put(world: World, body: object, pathAccessor?: string) {
  const sent = decodeBody(JSON.stringify(body), aclTokenShape)
  return putToken(world, manager(world), sent, pathAccessor)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const now = '2026-01-01T00:00:00Z'
const invalid = (...faults: string[]) =>
  `token 0 invalid: ${faults.length === 1 ? '1 error' : `${faults.length} errors`} occurred:\n${faults
    .map((each) => `\t* ${each}\n`)
    .join('')}\n`
const client = { Type: 'client', Policies: ['p'] }

describe('behaviour/scheduler#acl', () => {
  test('once; then 400 with the index at which it was done', () => {
    const world = aclWorld({ bootstrap: 'open' })
    const token = bootstrapAcls(world)
    expect(token).toEqual({
      AccessorID: expect.stringMatching(uuid),
      SecretID: expect.stringMatching(uuid),
      Name: 'Bootstrap Token',
      Type: 'management',
      Policies: null,
      Global: true,
      CreateTime: now,
      CreateIndex: 11,
      ModifyIndex: 11,
    })
    expect(schedulerCaller(world, token.SecretID).isManagement).toBe(true)
    expect(() => bootstrapAcls(world)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: 'ACL bootstrap already done (reset index: 11)',
      }),
    )
  })

  test('with a secret of the caller’s choice, which must be a UUID that is free', () => {
    const world = aclWorld({ bootstrap: 'open' })
    const sent = (text: string) =>
      decodeBody(JSON.stringify({ BootstrapSecret: text }), bootstrapShape)
    for (const secret of ['x', '2B778DD9-F5F1-6F29-B4B4-9A5FA948757A']) {
      expect(() => bootstrapAcls(world, sent(secret))).toThrow('invalid acl token')
    }
    const secret = '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a'
    expect(bootstrapAcls(world, sent(secret)).SecretID).toBe(secret)
  })

  test('an empty secret counts as no secret', () => {
    const world = aclWorld({ bootstrap: 'open' })
    const { SecretID } = bootstrapAcls(world, decodeBody('{"BootstrapSecret":""}', bootstrapShape))
    expect(SecretID).toMatch(uuid)
  })

  test('behaviour/program#fresh-world: done in a fresh world, whose management token is known', () => {
    const world = aclWorld()
    expect(() => bootstrapAcls(world)).toThrow('ACL bootstrap already done (reset index: 10)')
    expect(manager(world).token).toEqual({
      AccessorID: expect.stringMatching(uuid),
      SecretID: 'scheduler-management-token',
      Name: 'Bootstrap Token',
      Type: 'management',
      Policies: null,
      Global: true,
      CreateTime: now,
      CreateIndex: 10,
      ModifyIndex: 10,
    })
    const other = aclWorld({ initialManagementToken: 'other' })
    expect(schedulerCaller(other, 'other').isManagement).toBe(true)
  })
})

describe('behaviour/scheduler#acl', () => {
  test('create', () => {
    const world = aclWorld()
    const token = put(world, { Name: 'n', ...client, Global: true, Hash: 'aGk=', CreateIndex: 99 })
    expect(token).toEqual({
      AccessorID: expect.stringMatching(uuid),
      SecretID: expect.stringMatching(uuid),
      Name: 'n',
      Type: 'client',
      Policies: ['p'],
      Global: true,
      CreateTime: now,
      CreateIndex: 11,
      ModifyIndex: 11,
    })
    expect(readToken(world, manager(world), token.AccessorID)).toEqual(token)
    expect(dataIndex(world, 'acl-tokens')).toBe(11)
  })

  test('SecretID and CreateTime of the caller’s choice are not had', () => {
    const world = aclWorld()
    const SecretID = '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a'
    const token = put(world, { ...client, SecretID, CreateTime: '2001-01-01T00:00:00Z' })
    expect(token.SecretID).not.toBe(SecretID)
    expect(token.CreateTime).toBe(now)
  })

  test('replace: secret, time of creation and expiry stay', () => {
    const world = aclWorld()
    const before = put(world, { ...client, ExpirationTTL: '1h' })
    world.advance(1000)
    const { AccessorID } = before
    const change = {
      AccessorID,
      SecretID: 'x',
      Name: 'new',
      Type: 'management',
      ExpirationTTL: '60m',
    }
    expect(put(world, change, AccessorID)).toEqual({
      ...before,
      Name: 'new',
      Type: 'management',
      Policies: null,
      ModifyIndex: 12,
    })
    expect(put(world, { ...before, Name: 'again' })).toEqual({
      ...before,
      Name: 'again',
      ModifyIndex: 13,
    })
  })

  test.each([
    ['ExpirationTTL', '8h', { ExpirationTime: '2026-01-01T08:00:00Z', ExpirationTTL: '8h0m0s' }],
    ['ExpirationTTL', 90e9, { ExpirationTime: '2026-01-01T00:01:30Z', ExpirationTTL: '1m30s' }],
    ['ExpirationTime', '2026-01-01T09:00:00.5+01:00', { ExpirationTime: '2026-01-01T08:00:00.5Z' }],
  ])('%s %s', (name, value, expected) => {
    const token = put(aclWorld(), { ...client, [name]: value })
    const { ExpirationTime, ExpirationTTL } = token
    expect({ ExpirationTime, ...(ExpirationTTL === undefined ? {} : { ExpirationTTL }) }).toEqual(
      expected,
    )
  })

  test.each([
    ['ExpirationTTL', ''],
    ['ExpirationTTL', 0],
    ['ExpirationTTL', null],
    ['ExpirationTime', null],
    ['ExpirationTime', '0001-01-01T00:00:00Z'],
  ])('%s %j means never', (name, value) => {
    const token = put(aclWorld(), { ...client, [name]: value })
    expect(token).not.toHaveProperty('ExpirationTime')
    expect(token).not.toHaveProperty('ExpirationTTL')
  })

  // choice/scheduler#job-token-life
  test('a token is deleted an hour after its expiry', () => {
    const world = aclWorld()
    const { AccessorID } = put(world, { ...client, ExpirationTTL: '1h' })
    expect(world.advance(7_199_999)).toEqual([])
    expect(readToken(world, manager(world), AccessorID)).toMatchObject({ AccessorID })
    expect(world.advance(1)).toEqual([
      { at: start + 7_200_000, kind: 'scheduler.acl-token-expiry', id: AccessorID },
    ])
    expect(() => readToken(world, manager(world), AccessorID)).toThrow('ACL token not found')
    expect(listTokens(world, manager(world))).toHaveLength(1)
  })

  // choice/scheduler#job-token-life
  test.each([
    ['no policies', { Type: 'client' }, invalid('client token missing policies or roles')],
    [
      'empty policies',
      { Type: 'client', Policies: [] },
      invalid('client token missing policies or roles'),
    ],
    [
      'management with policies',
      { Type: 'management', Policies: ['p'] },
      invalid('management token cannot be associated with policies or roles'),
    ],
    ['no type', { Policies: ['p'] }, invalid('token type must be client or management')],
    [
      'another type',
      { Type: 'Client', Policies: ['p'] },
      invalid('token type must be client or management'),
    ],
    ['long name', { ...client, Name: 'x'.repeat(257) }, invalid('token name too long')],
    [
      'several faults',
      { Name: 'x'.repeat(257), Type: '' },
      invalid('token name too long', 'token type must be client or management'),
    ],
    ['roles', { Type: 'client', Roles: [{ Name: 'r' }] }, 'cannot find role r'],
    ['a role by ID', { Type: 'client', Roles: [{ ID: 'i', Name: 'r' }] }, 'cannot find role i'],
    [
      'short life',
      { ...client, ExpirationTTL: '59s' },
      invalid('expiration time cannot be less than 1m0s in the future (was 59s)'),
    ],
    [
      'long life',
      { ...client, ExpirationTTL: '25h' },
      invalid('expiration time cannot be more than 24h0m0s in the future (was 25h0m0s)'),
    ],
    [
      'negative life',
      { ...client, ExpirationTTL: '-1h' },
      invalid(
        "token expiration TTL '-1h0m0s' should not be negative",
        'expiration time cannot be before create time',
        'expiration time cannot be less than 1m0s in the future (was -1h0m0s)',
      ),
    ],
    ['no duration', { ...client, ExpirationTTL: 'x' }, 'time: invalid duration "x"'],
    [
      'no time',
      { ...client, ExpirationTime: 'x' },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'unknown AccessorID',
      { ...client, AccessorID: '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a' },
      'cannot find token 2b778dd9-f5f1-6f29-b4b4-9a5fa948757a',
    ],
  ])('%s: 400', (_, body, message) => {
    const world = aclWorld()
    const before = lastIndex(world)
    expect(() => put(world, body)).toThrow(expect.objectContaining({ kind: 'invalid', message }))
    expect(lastIndex(world)).toBe(before)
  })

  test('the permanent members of a token cannot be changed', () => {
    const world = aclWorld()
    const { AccessorID } = put(world, { ...client, ExpirationTTL: '1h' })
    expect(() =>
      put(world, { ...client, AccessorID, Global: true, ExpirationTime: '2026-01-01T02:00:00Z' }),
    ).toThrow(
      invalid(
        'cannot toggle global mode',
        'cannot update expiration TTL',
        'cannot update expiration time',
      ),
    )
  })

  test('an AccessorID that differs from the path is refused', () => {
    expect(() => put(aclWorld(), client, 'other')).toThrow(
      'ACL token accessor does not match request path',
    )
  })

  test.each([
    ['x', 'UUID must be 36 characters'],
    ['2b778dd9-f5f1-6f29-b4b4-9a5f-a948757', 'UUID should have maximum of 4 "-"; got 5'],
    ['2b778dd9-f5f1-6f29-b4b4a9a5fa948757a', 'Input (without hyphens) must be even length'],
    [
      'zb778dd9-f5f1-6f29-b4b4-9a5fa948757a',
      `Invalid UUID: encoding/hex: invalid byte: U+007A 'z'`,
    ],
  ])('an accessor that is not a UUID is refused: %s', (accessor, problem) => {
    const world = aclWorld()
    expect(() => readToken(world, manager(world), accessor)).toThrow(
      expect.objectContaining({
        kind: 'conflict',
        message: `acl token lookup failed: index error: ${problem}`,
      }),
    )
    expect(() => put(world, { ...client, AccessorID: accessor })).toThrow(
      expect.objectContaining({
        kind: 'conflict',
        message: `token lookup failed: acl token lookup failed: index error: ${problem}`,
      }),
    )
    expect(() => deleteToken(world, manager(world), accessor)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: `token lookup failed: acl token lookup failed: index error: ${problem}`,
      }),
    )
  })

  test('delete', () => {
    const world = aclWorld()
    const { AccessorID, SecretID } = put(world, { ...client, ExpirationTTL: '1h' })
    deleteToken(world, manager(world), AccessorID)
    expect([...world.agenda.all()]).toEqual([])
    expect(() => schedulerCaller(world, SecretID)).toThrow('Permission denied')
    expect(() => deleteToken(world, manager(world), AccessorID)).toThrow(
      `Cannot delete nonexistent tokens: ${AccessorID}`,
    )
  })

  test('callers may read their own token, by /self too, and no other', () => {
    const world = aclWorld()
    policy(world, 'p', 'namespace "*" { policy = "write" }')
    const [own, other] = [clientToken(world, 'p'), clientToken(world, 'p')]
    const caller = schedulerCaller(world, own.SecretID)
    expect(readToken(world, caller, own.AccessorID)).toEqual(own)
    expect(readOwnToken(world, own.SecretID)).toEqual(own)
    for (const act of [
      () => readToken(world, caller, other.AccessorID),
      () => readToken(world, caller, '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a'),
      () => listTokens(world, caller),
      () => deleteToken(world, caller, own.AccessorID),
      () => putToken(world, caller, decodeBody(JSON.stringify(own), aclTokenShape)),
    ]) {
      expect(act).toThrow(expect.objectContaining({ kind: 'denied', message: 'Permission denied' }))
    }
    const nobody = schedulerCaller(world, undefined)
    expect(() => readToken(world, nobody, own.AccessorID)).toThrow('Permission denied')
    expect(() => readOwnToken(world, undefined)).toThrow(
      'acl token lookup failed: missing secret id',
    )
    expect(() => readToken(world, manager(world), '2b778dd9-f5f1-6f29-b4b4-9a5fa948757a')).toThrow(
      expect.objectContaining({ kind: 'absent', message: 'ACL token not found' }),
    )
  })
})

describe('behaviour/scheduler#acl', () => {
  test('in the order of creation, without secrets', () => {
    const world = aclWorld()
    const first = manager(world).token
    const second = put(world, { ...client, Name: 'second' })
    const third = put(world, { ...client, Name: 'third', Global: true, ExpirationTTL: '1h' })
    const stubs = [first, second, third].map((token) => {
      const { SecretID: _, ...stub } = { SecretID: '', ...token }
      return stub
    })
    const caller = manager(world)
    expect(listTokens(world, caller)).toEqual(stubs)
    const byId = [...stubs].sort((a, b) => ((a.AccessorID ?? '') < (b.AccessorID ?? '') ? -1 : 1))
    expect(listTokens(world, caller, { globalOnly: true })).toEqual(
      byId.filter(({ Global }) => Global),
    )
    expect(listTokens(world, caller, { prefix: second.AccessorID.slice(0, 8) })).toEqual([stubs[1]])
    expect(listTokens(world, caller, { prefix: '0000' })).toEqual([])
    expect(
      ['abc', 'zz', `${second.AccessorID}aa`].map((prefix) => {
        try {
          return listTokens(world, caller, { prefix })
        } catch (error) {
          return String(error)
        }
      }),
    ).toEqual([
      'Refusal: acl token lookup failed: index error: Input (without hyphens) must be even length',
      "Refusal: acl token lookup failed: index error: Invalid UUID: encoding/hex: invalid byte: U+007A 'z'",
      'Refusal: acl token lookup failed: index error: Invalid UUID length. UUID have 36 characters; got 38',
    ])
  })

  test('requests are 400 while ACLs are off', () => {
    const world = aclWorld({ aclEnabled: false })
    const caller = schedulerCaller(world, undefined)
    for (const act of [
      () => bootstrapAcls(world),
      () => listTokens(world, caller),
      () => readToken(world, caller, 'x'),
      () => readOwnToken(world, undefined),
      () => deleteToken(world, caller, 'x'),
      () => putToken(world, caller, decodeBody('{}', aclTokenShape)),
    ]) {
      expect(act).toThrow(
        expect.objectContaining({ kind: 'invalid', message: 'ACL support disabled' }),
      )
    }
  })
})

describe('behaviour/program#worlds: ACLs are state', () => {
  test('tokens survive export and import with their expiry', () => {
    const world = aclWorld()
    policy(world, 'p', 'namespace "default" { policy = "read" }')
    const { SecretID } = put(world, { ...client, ExpirationTTL: '1m' })
    const document = exportWorld(world)
    const worlds = new Worlds({
      services: [schedulerService],
      seed: 'test',
      clock: { mode: 'frozen', at: start },
      options: { scheduler: { aclEnabled: true } },
      freezeRows: true,
    })
    const copy = worlds.create({ id: 'copy', seed: 's' })
    worlds.import(copy, document)
    expect(exportWorld(copy)).toEqual(document)
    expect(schedulerCaller(copy, SecretID).may('default', 'read-job')).toBe(true)
    copy.advance(60_000)
    expect(() => schedulerCaller(copy, SecretID)).toThrow('Permission denied')
    worlds.close()
  })
})
