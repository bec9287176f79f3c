import { expect, onTestFinished, test } from 'vitest'
import { runParts } from '../../../../state/kernel/parts.ts'
import { Worlds } from '../../../../state/kernel/worlds/worlds.ts'
import { logIn } from '../../../../state/mesh/acl/auth-methods/login.ts'
import { rootCertificateOf } from '../../../../state/mesh/connect/root-certificate.ts'
import { loadMeshFixtures } from '../../../../state/mesh/fixtures.ts'
import { meshService } from '../../../../state/mesh/service.ts'
import { issueAccountToken } from '../../../../state/secrets/orch/account-tokens.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { testTime } from '../../../support/served-api.ts'

// behaviour/mesh#login, choice/mesh#kubernetes-logins
test('a service account of the orchestrator of the world logs in, by selector and interpolated name', () => {
  const jwt = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.xxxx`
  const worlds = new Worlds({
    services: [secretsService, meshService],
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    options: { mesh: { aclEnabled: true } },
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => worlds.close())
  const world = worlds.default
  const { pem: CACert } = rootCertificateOf(world)
  const method = {
    ...{ Name: 'pods', Type: 'kubernetes' },
    Config: { Host: 'https://a', CACert, ServiceAccountJWT: jwt },
  }
  const rule = {
    ...{ AuthMethod: 'pods', BindType: 'service' },
    BindName: `\${serviceaccount.namespace}-\${serviceaccount.name}`,
    Selector: 'serviceaccount.namespace == shop and serviceaccount.uid != ""',
  }
  runParts(loadMeshFixtures(world, { authMethods: [method], bindingRules: [rule] }))
  const login = (bearer: string) => logIn(world, 'default', { method: 'pods', bearer, meta: {} })
  const account = issueAccountToken(world, { namespace: 'shop', service_account: 'web' })
  expect(login(account.token).service_identities).toEqual([{ service_name: 'shop-web' }])
  const other = issueAccountToken(world, { namespace: 'lab', service_account: 'web' })
  expect(() => login(other.token)).toThrow('Permission denied')
  expect(() => login(jwt)).toThrow('lookup failed: service account jwt not valid')
  expect(() => login('x')).toThrow('failed to parse and validate JWT: ')
  world.advance(3_600_000)
  expect(() => login(account.token)).toThrow('lookup failed: service account jwt not valid')
})
