import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { TableDefinition } from '../../../../state/kernel/store/table.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { disableMount } from '../../../../state/secrets/mounts/changes.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { findByAccessor, findToken, tokens } from '../../../../state/secrets/tokens/rows.ts'
import { revokeToken } from '../../../../state/secrets/tokens/tokens.ts'
import { jwtClaims, wrappingKeys } from '../../../../state/secrets/wrapping/jwt.ts'
import { findWrapping, rewrap, unwrap, wrap } from '../../../../state/secrets/wrapping/wrapping.ts'
import { addNamespace } from '../../../routes/secrets/namespace-rows.ts'
import { freshWorld, startTime } from '../fresh-world.ts'

const refused = 'wrapping token is not valid or does not exist'
const body = '{"request_id":"1","data":{"a":1}}'
const started = startTime / 1000

/** Counts the rows of a world outside the kernel's tables. */
function rowCount(world: World): number {
  const tables: readonly TableDefinition[] = secretsService.tables
  return tables.reduce((sum, table) => sum + world.table(table).size, 0)
}

describe('behaviour/secrets#wrapping: state', () => {
  test('wrap returns the details of the token', () => {
    const world = freshWorld()
    const info = wrap(world, { text: body, ttl: 60, path: 'kv/a', wrappedAccessor: 'inner' })
    expect(info).toEqual({
      token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
      accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
      ttl: 60,
      creation_time: '2026-01-01T00:00:00Z',
      creation_path: 'kv/a',
      wrapped_accessor: 'inner',
    })
    expect(findByAccessor(world, info.accessor)).toMatchObject({
      id: info.token,
      policies: ['response-wrapping'],
      num_uses: 1,
      renewable: false,
      parent: null,
      path: 'kv/a',
      creation_ttl: 60,
      explicit_max_ttl: 60,
      expire_time: startTime + 60_000,
    })
  })

  test('unwrap returns the body once and leaves no rows', () => {
    const world = freshWorld()
    const before = rowCount(world)
    const { token } = wrap(world, { text: body, ttl: 60, path: 'kv/a' })
    expect(unwrap(world, token)).toBe(body)
    expect(() => unwrap(world, token)).toThrow(refused)
    expect(rowCount(world)).toBe(before)
  })

  test.each(['', 's.unknown', 'root', 'a.b.c'])('%j is refused', (token) => {
    const world = freshWorld()
    expect(() => unwrap(world, token)).toThrow(refused)
    expect(() => rewrap(world, token, { ttl: 0 })).toThrow(refused)
    expect(findWrapping(world, token)).toBeUndefined()
  })

  test('findWrapping does not use the token', () => {
    const world = freshWorld()
    const { token } = wrap(world, { text: body, ttl: 90, path: 'kv/a' })
    world.advance(30_000)
    const facts = {
      creation_ttl: 90,
      creation_time: '2026-01-01T00:00:00Z',
      creation_path: 'kv/a',
    }
    expect(findWrapping(world, token)).toEqual(facts)
    expect(findWrapping(world, token)).toEqual(facts)
    expect(unwrap(world, token)).toBe(body)
    expect(findWrapping(world, token)).toBeUndefined()
  })

  test('a wrapping token expires by the clock, together with the body', () => {
    const world = freshWorld()
    const before = rowCount(world)
    const { token } = wrap(world, { text: body, ttl: 60, path: 'kv/a' })
    world.advance(59_999)
    expect(findWrapping(world, token)).toBeDefined()
    world.advance(1)
    expect(findWrapping(world, token)).toBeUndefined()
    expect(() => unwrap(world, token)).toThrow(refused)
    expect(rowCount(world)).toBe(before)
  })

  test('the body is deleted with the token, however that ends', () => {
    const world = freshWorld()
    const before = rowCount(world)
    revokeToken(world, wrap(world, { text: body, ttl: 60, path: 'kv/a' }).token)
    expect(rowCount(world)).toBe(before)
    wrap(world, { text: body, ttl: 60, path: 'kv/a' })
    disableMount(world, rootNamespace, 'kv')
    expect(Array.from(world.table(tokens).entries(''), ([id]) => id)).toEqual(['root'])
  })

  // choice/secrets#wrapping-ttl
  test('the TTL may exceed the maximum of the mount', () => {
    const world = freshWorld()
    const year = 365 * 24 * 3600
    const { token, ttl } = wrap(world, { text: body, ttl: year, path: 'kv/a' })
    expect(ttl).toBe(year)
    world.advance(year * 1000 - 1)
    expect(unwrap(world, token)).toBe(body)
  })

  test('in a namespace the token ends in the namespace id', () => {
    const world = freshWorld()
    const namespace = addNamespace(world, 'team/')
    const info = wrap(world, { text: body, ttl: 60, path: 'kv/a', namespace })
    expect(info.token).toMatch(new RegExp(`\\.${namespace.id}$`))
    expect(info.accessor).toMatch(new RegExp(`\\.${namespace.id}$`))
    expect(unwrap(world, info.token)).toBe(body)
  })

  test('unwrapping returns the exact text', () => {
    const world = freshWorld()
    for (const text of ['{}', '{"a":"\\u0000\\"€😀</script>"}', `{"a":"${'x'.repeat(100_000)}"}`]) {
      expect(unwrap(world, wrap(world, { text, ttl: 60, path: 'a' }).token)).toBe(text)
    }
  })

  test('an export transfers it to another world', () => {
    const world = freshWorld()
    const { token } = wrap(world, { text: body, ttl: 60, path: 'kv/a', address: 'http://a' })
    const copy = new World({ id: 'copy', services: [secretsService], from: world.snapshot() })
    expect(unwrap(copy, token)).toBe(body)
    expect(unwrap(world, token)).toBe(body)
  })
})

describe('behaviour/secrets#wrapping: rewrap', () => {
  test('returns a new token and revokes the old one; the path and the first TTL stay', () => {
    const world = freshWorld()
    const old = wrap(world, { text: body, ttl: 60, path: 'kv/a', wrappedAccessor: 'inner' })
    world.advance(50_000)
    const rewrapped = rewrap(world, old.token, { ttl: 0, requestPath: 'sys/wrapping/rewrap' })
    expect(rewrapped).toEqual({
      token: expect.not.stringContaining(old.token),
      accessor: expect.any(String),
      ttl: 60,
      creation_time: '2026-01-01T00:00:50Z',
      creation_path: 'kv/a',
      wrapped_accessor: '',
    })
    expect(() => unwrap(world, old.token)).toThrow(refused)
    expect(findToken(world, rewrapped.token)?.path).toBe('sys/wrapping/rewrap')
    world.advance(59_999)
    expect(unwrap(world, rewrapped.token)).toBe(body)
  })

  test.each([
    [0, 60],
    [20, 20],
    [100, 60],
  ])(
    'the shorter of the requested TTL (%i) and the first one applies: %i',
    (requested, granted) => {
      const world = freshWorld()
      const { token } = wrap(world, { text: body, ttl: 60, path: 'kv/a' })
      expect(rewrap(world, token, { ttl: requested }).ttl).toBe(granted)
    },
  )

  // choice/secrets#rewrap
  test('a rewrapped token stays in its namespace', () => {
    const world = freshWorld()
    const namespace = addNamespace(world, 'team/')
    const { token } = wrap(world, { text: body, ttl: 60, path: 'kv/a', namespace })
    const rewrapped = rewrap(world, token, { ttl: 0 }).token
    expect(findToken(world, rewrapped)).toMatchObject({
      namespace: namespace.id,
      namespace_path: 'team/',
    })
    expect(unwrap(world, rewrapped)).toBe(body)
  })
})

describe('behaviour/secrets#activation-tokens', () => {
  const address = 'https://primary.example:8200'
  const signed = (world: World) =>
    wrap(world, { text: body, ttl: 1800, path: 'sys/x', address }).token

  test('an activation token is a signed JWT with header and claims', () => {
    const world = freshWorld()
    world.advance(250)
    const token = signed(world)
    const [header = '', claims = '', signature = ''] = token.split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(read(header)).toEqual({ alg: 'ES512', typ: 'JWT' })
    expect(read(claims)).toEqual({
      accessor: '',
      addr: address,
      exp: started + 1800,
      iat: started,
      jti: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
      nbf: started - 5,
      type: 'wrapping',
    })
    expect(jwtClaims(token)).toEqual(read(claims))
    expect(Buffer.from(signature, 'base64url')).toHaveLength(132)
  })

  test('an ordinary verifier accepts the signature of the cluster’s P-521 key', () => {
    const world = freshWorld()
    const token = signed(world)
    const pem = world.table(wrappingKeys).get('key')?.private_key ?? ''
    const key = createPublicKey(pem)
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'secp521r1' })
    const dot = token.lastIndexOf('.')
    const signature = Buffer.from(token.slice(dot + 1), 'base64url')
    const text = Buffer.from(token.slice(0, dot))
    expect(verify('sha512', text, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
    expect(signed(world)).not.toBe(token)
    expect(world.table(wrappingKeys).size).toBe(1)
  })

  test('both forms of a token unwrap, each only once', () => {
    const world = freshWorld()
    const first = signed(world)
    expect(findWrapping(world, first)).toEqual({
      creation_ttl: 1800,
      creation_time: '2026-01-01T00:00:00Z',
      creation_path: 'sys/x',
    })
    expect(unwrap(world, first)).toBe(body)
    expect(() => unwrap(world, first)).toThrow(refused)
    const second = signed(world)
    expect(unwrap(world, jwtClaims(second)?.jti ?? '')).toBe(body)
    expect(() => unwrap(world, second)).toThrow(refused)
  })

  // choice/secrets#wrapping-format
  test('a JWT token lives in the root namespace', () => {
    const world = freshWorld()
    const namespace = addNamespace(world, 'team/')
    const { token } = wrap(world, { text: body, ttl: 60, path: 'a', namespace, address })
    expect(findToken(world, jwtClaims(token)?.jti ?? '')?.namespace).toBe('root')
  })

  // choice/secrets#wrapping-signatures
  test('equal seeds give equal claims and keys; signatures are random', () => {
    const worlds = [freshWorld(), freshWorld()]
    const [first = '', second = ''] = worlds.map(signed)
    expect(jwtClaims(second)).toEqual(jwtClaims(first))
    const [ours, theirs] = worlds.map((world) => world.table(wrappingKeys).get('key'))
    expect(theirs).toEqual(ours)
    expect(second).not.toBe(first)
  })

  test('a JWT token expires by the clock', () => {
    const world = freshWorld()
    const token = signed(world)
    world.advance(1_799_999)
    expect(findWrapping(world, token)).toBeDefined()
    world.advance(1)
    expect(() => unwrap(world, token)).toThrow(refused)
  })

  test('a modified token is refused and not used up', () => {
    const world = freshWorld()
    const token = signed(world)
    const [header = '', claims = '', signature = ''] = token.split('.')
    const other = { ...jwtClaims(token), addr: 'http://evil.example' }
    const forged = Buffer.from(JSON.stringify(other)).toString('base64url')
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    for (const text of [
      `${header}.${forged}.${signature}`,
      `${header}.${claims}.${flipped}`,
      `${header}.${claims}.${signature.slice(4)}`,
      `${none}.${claims}.${signature}`,
      `${none}.${claims}.`,
      `${header}.${claims}`,
      `${token}=`,
      ` ${token}`,
    ]) {
      expect(() => unwrap(world, text)).toThrow(refused)
    }
    expect(unwrap(world, token)).toBe(body)
  })

  test('a token of another key or another cluster is refused', () => {
    const world = freshWorld()
    const token = signed(world)
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-521' })
    const text = token.slice(0, token.lastIndexOf('.'))
    const signature = sign('sha512', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    expect(() => unwrap(world, `${text}.${signature.toString('base64url')}`)).toThrow(refused)
    const other = new World({ id: 'other', seed: 'other', services: [secretsService] })
    expect(() => unwrap(other, token)).toThrow(refused)
    signed(other)
    expect(() => unwrap(other, token)).toThrow(refused)
    expect(unwrap(world, token)).toBe(body)
  })

  test.each([
    ['no parts', 's.abc'],
    ['a token of a namespace', 's.abcdef.team0'],
    ['parts that are not JSON', 'eyJ.eyJ.eyJ'],
    ['an empty text', ''],
    ['a list', `${Buffer.from('[]').toString('base64url')}00.W10.W10`],
  ])('%s has no claims', (_, text) => {
    expect(jwtClaims(text)).toBeUndefined()
  })

  test.each([
    ['accessor', 1],
    ['addr', null],
    ['exp', 'soon'],
    ['iat', '0'],
    ['nbf', true],
    ['jti', 7],
    ['type', []],
  ])('a claim %s of %j makes it invalid', (name, value) => {
    const world = freshWorld()
    const token = signed(world)
    const [header, , signature] = token.split('.')
    const claims = { ...jwtClaims(token), [name]: value }
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url')
    expect(jwtClaims(`${header}.${changed}.${signature}`)).toBeUndefined()
  })
})
