import { generateKeyPairSync } from 'node:crypto'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { checkDocument, DocumentError } from '../../../../routes/control/state/documents.ts'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { type CloudIdentities, cloudView } from '../../../../state/secrets/cloud/identities.ts'
import { cloudLoginBody } from '../../../../state/secrets/cloud/login-body.ts'
import {
  cloudInstances,
  cloudPrivateKeys,
  cloudTenancies,
  cloudUsers,
} from '../../../../state/secrets/cloud/principals.ts'
import type { SecretsOptions } from '../../../../state/secrets/options.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import {
  cloudDocument,
  identities,
  rsaKey as key,
  foreignRsaKey as other,
} from '../../../support/secrets/cloud.ts'
import { startTime } from '../fresh-world.ts'

function worldWith(cloud: CloudIdentities, secrets: Partial<SecretsOptions> = {}): World {
  return new World({
    id: 'test',
    seed: 'test',
    services: [secretsService],
    clock: { mode: 'frozen', at: startTime },
    options: { secrets },
    document: cloudDocument(cloud),
    freezeRows: true,
  })
}

/** Returns the message with which loading identities is refused. */
function loadFailure(cloud: CloudIdentities): string {
  try {
    worldWith(cloud)
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.kind === 'invalid') return thrown.message
    throw thrown
  }
  throw new Error('they were loaded')
}

/** Returns the schema errors of identities of the wrong shape. */
function schemaErrors(cloud: unknown): readonly string[] {
  try {
    checkDocument([secretsService], { secrets: { cloud } })
  } catch (thrown) {
    if (thrown instanceof DocumentError) return thrown.problems
    throw thrown
  }
  return []
}

const exampleUser = { id: 'example-user', tenancy: 'example-tenancy', groups: ['example-group'] }
const exampleInstance = {
  id: 'example-instance',
  tenancy: 'example-tenancy',
  dynamic_groups: ['example-dynamic-group'],
}

describe('behaviour/secrets#cloud-principals: a fresh world', () => {
  // choice/secrets#cloud-identities
  test('has a tenancy, a user and an instance, without keys', () => {
    const world = worldWith({})
    expect(cloudView(world)).toEqual({
      tenancies: ['example-tenancy'],
      users: [{ ...exampleUser, keys: [] }],
      instances: [{ ...exampleInstance, key: null }],
    })
    expect(world.table(cloudPrivateKeys).size).toBe(0)
  })

  // choice/secrets#cloud-identities
  test('behaviour/secrets#vendor-names: the ids have the format of the vendor', () => {
    expect(cloudView(worldWith({}, { cloudIds: 'ocid' }))).toEqual({
      tenancies: ['ocid1.tenancy.oc1..example'],
      users: [
        {
          id: 'ocid1.user.oc1..example',
          tenancy: 'ocid1.tenancy.oc1..example',
          groups: ['ocid1.group.oc1..example'],
          keys: [],
        },
      ],
      instances: [
        {
          id: 'ocid1.instance.oc1..example',
          tenancy: 'ocid1.tenancy.oc1..example',
          dynamic_groups: ['ocid1.dynamicgroup.oc1..example'],
          key: null,
        },
      ],
    })
  })
})

describe('behaviour/secrets#cloud-principals: identities of fixtures', () => {
  const view = (own: typeof key, signs: boolean) => ({
    fingerprint: own.fingerprint,
    public_key: own.publicPem,
    signs,
  })

  test('are added to those of a fresh world, with the tenancies that they name', () => {
    const world = worldWith({
      tenancies: ['home'],
      users: [
        { id: 'ada', groups: ['g1', 'g2'], keys: [key.publicPem, other.privatePem] },
        { id: 'eve', tenancy: 'elsewhere' },
      ],
      instances: [{ id: 'box', dynamic_groups: ['d'], key: key.publicPem }, { id: 'bare' }],
    })
    const keys = [view(key, false), view(other, true)]
    expect(cloudView(world)).toEqual({
      tenancies: ['elsewhere', 'example-tenancy', 'home'],
      users: [
        { id: 'ada', tenancy: 'home', groups: ['g1', 'g2'], keys: expect.arrayContaining(keys) },
        { id: 'eve', tenancy: 'elsewhere', groups: [], keys: [] },
        { ...exampleUser, keys: [] },
      ],
      instances: [
        { id: 'bare', tenancy: 'home', dynamic_groups: [], key: null },
        { id: 'box', tenancy: 'home', dynamic_groups: ['d'], key: view(key, false) },
        { ...exampleInstance, key: null },
      ],
    })
    expect(cloudView(world).users[0]?.keys).toHaveLength(2)
  })

  test('belong by default to the tenancy of a fresh world', () => {
    const world = worldWith({ users: [{ id: 'ada' }], instances: [{ id: 'box' }] })
    expect(world.table(cloudUsers).get('ada')?.tenancy).toBe('example-tenancy')
    expect(world.table(cloudInstances).get('box')?.tenancy).toBe('example-tenancy')
  })

  test('an existing id is replaced', () => {
    const world = worldWith({ users: [{ id: 'example-user', groups: ['g'] }] })
    expect(cloudView(world).users).toEqual([
      { id: 'example-user', tenancy: 'example-tenancy', groups: ['g'], keys: [] },
    ])
  })

  test('keys in older PEM formats are accepted', () => {
    const pkcs1 = key.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    const world = worldWith({ users: [{ id: 'ada', keys: [pkcs1] }] })
    expect(world.table(cloudUsers).get('ada')?.keys).toEqual({ [key.fingerprint]: key.publicPem })
    expect(world.table(cloudPrivateKeys).get(key.fingerprint)).toEqual({
      private_key: key.privatePem,
    })
  })

  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const

  test.each([
    ['nothing', ''],
    ['other text', 'AAAAB3NzaC1yc2E'],
    ['a cut key', key.publicPem.slice(0, 200)],
    ['a cut private key', key.privatePem.slice(0, 200)],
    ['broken base64', '-----BEGIN PUBLIC KEY-----\n????\n-----END PUBLIC KEY-----\n'],
    ['a key of another kind', curve.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    [
      'a private key of another kind',
      curve.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
    ['a locked private key', key.privateKey.export(locked).toString()],
  ])('a key that is %s is refused with its place in the document', (_, pem) => {
    const text = 'this is not an RSA key in PEM form'
    expect(loadFailure({ users: [{ id: 'a' }, { id: 'b', keys: [key.publicPem, pem] }] })).toBe(
      `/secrets/cloud/users/1/keys/1: ${text}`,
    )
    expect(loadFailure({ instances: [{ id: 'box', key: pem }] })).toBe(
      `/secrets/cloud/instances/0/key: ${text}`,
    )
  })

  test('documents of the wrong shape', () => {
    expect(
      schemaErrors({
        tenancies: ['a/b', ''],
        users: [{ groups: 'g' }, { id: 'a b', keys: [1] }, { id: 'x', group: [] }],
        instances: [{ id: 'box', keys: [] }],
        roles: {},
      }),
    ).toEqual([
      '/secrets/cloud/roles is unknown',
      '/secrets/cloud/tenancies/0 must match pattern "^[^/\\s"\\\\]+$"',
      '/secrets/cloud/tenancies/1 must match pattern "^[^/\\s"\\\\]+$"',
      '/secrets/cloud/users/0/id is missing',
      '/secrets/cloud/users/0/groups must be array',
      '/secrets/cloud/users/1/id must match pattern "^[^/\\s"\\\\]+$"',
      '/secrets/cloud/users/1/keys/0 must be string',
      '/secrets/cloud/users/2/group is unknown; did you mean groups?',
      '/secrets/cloud/instances/0/keys is unknown',
    ])
  })
})

describe('behaviour/program#control-plane: exported rows have the shape that an import demands', () => {
  const world = worldWith(identities(key))
  cloudLoginBody(world, { role: 'dev' }, 'localhost')
  const ajv = new Ajv({ strict: false, allErrors: true })

  test.each([cloudTenancies, cloudUsers, cloudInstances, cloudPrivateKeys])(
    '$name',
    (definition) => {
      const validate = ajv.compile(definition.schema)
      const rows = [...world.table<object>(definition).rows()]
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) {
        expect(validate(JSON.parse(JSON.stringify(row))), ajv.errorsText(validate.errors)).toBe(
          true,
        )
      }
    },
  )
})
