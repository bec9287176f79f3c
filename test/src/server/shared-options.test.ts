import { describe, expect, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/understudy.ts'
import { withSharedSettings } from '../../../src/server/shared-options.ts'
import { services } from '../../../src/services.ts'

describe('behaviour/secrets#vendor-switches: options that the vendor dialect sets in its worlds', () => {
  const vendor = {
    serviceTokenPrefix: 'hvs.',
    batchTokenPrefix: 'hvb.',
    clientSecretPrefix: 'hvo_secret_',
    tokenForm: 'encoded',
    orchPath: 'kubernetes/',
    orchWords: 'vendor',
    orchSoleNamespace: true,
    cloudPath: 'auth/oci/',
    cloudIds: 'ocid',
    rekeyWithoutToken: true,
  }

  /** behaviour/platform#vendor-switches. */
  const platform = {
    strictContentType: true,
    autoCreateTestRunOnUpload: false,
    cancelQueued: true,
    adminUnauthorized: true,
    storeHcl: true,
    tokenLifetime: '2y',
    testFileNames: ['.tftest.hcl', '.tftest.json'],
  }

  // choice/platform#log-test-file-names
  test('neutral sets nothing; options win', () => {
    expect(withSharedSettings({ dialect: 'neutral' }, {}, services)).toEqual({
      secrets: {},
      platform: {},
      mesh: {},
      scheduler: {},
    })
    expect(withSharedSettings({ dialect: 'vendor' }, {}, services)).toEqual({
      secrets: vendor,
      platform,
      mesh: {},
      scheduler: {},
    })
    const explicitOptions = { rekeyWithoutToken: false, rootToken: 'mine' }
    expect(
      withSharedSettings(
        { dialect: 'vendor', rootToken: 'r' },
        { secrets: explicitOptions },
        services,
      ),
    ).toEqual({
      secrets: { ...vendor, ...explicitOptions },
      platform,
      mesh: {},
      scheduler: {},
    })
  })

  test('behaviour/program#command: --acl and --rate-limit are options of the worlds', () => {
    expect(
      withSharedSettings({ dialect: 'neutral', acl: true, rateLimit: true }, {}, services),
    ).toEqual({
      secrets: {},
      platform: { enforceRateLimit: true },
      mesh: { aclEnabled: true },
      scheduler: { aclEnabled: true },
    })
  })

  test.each([
    ['neutral', 403],
    ['vendor', 200],
  ] as const)('%s: rekey without a token is %i', async (dialect, status) => {
    await using understudy = await createUnderstudy({ dialect })
    const reply = await understudy.inject({ url: '/v1/sys/rekey/init' })
    expect(reply.statusCode).toBe(status)
  })
})
