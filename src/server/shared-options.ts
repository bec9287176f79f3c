import type { DialectName } from '../../routes/http/declare/dialect.ts'
import type { MeshOptions } from '../../state/mesh/options.ts'
import type { PlatformOptions } from '../../state/platform/options.ts'
import type { SchedulerOptions } from '../../state/scheduler/options.ts'
import type { SecretsOptions } from '../../state/secrets/options.ts'

/** Settings of the process that worlds have as options. */
interface SharedSettings {
  readonly dialect: DialectName
  readonly rootToken?: string | undefined
  /** True if mesh and scheduler enforce ACLs. */
  readonly acl?: boolean | undefined
  /** True if the platform refuses requests above its limit. */
  readonly rateLimit?: boolean | undefined
}

/** Secrets options of the vendor dialect (behaviour/secrets#vendor-names). */
const vendorSecrets: Partial<SecretsOptions> = {
  serviceTokenPrefix: 'hvs.',
  batchTokenPrefix: 'hvb.',
  tokenForm: 'encoded',
  orchPath: 'kubernetes/',
  orchWords: 'vendor',
  orchSoleNamespace: true,
  cloudPath: 'auth/oci/',
  cloudIds: 'ocid',
  rekeyWithoutToken: true,
}

/** Platform options of the vendor dialect (behaviour/platform#vendor-switches). */
const vendorPlatform: Partial<PlatformOptions> = {
  strictContentType: true,
  autoCreateTestRunOnUpload: false,
  cancelQueued: true,
  adminUnauthorized: true,
  storeHcl: true,
  tokenLifetime: '2y',
  testFileNames: ['.tftest.hcl', '.tftest.json'],
}

/**
 * Returns world options by service, with defaults from settings of the process; explicit options
 * win.
 */
export function withSharedSettings(
  { dialect, rootToken, acl = false, rateLimit = false }: SharedSettings,
  options: Readonly<Record<string, object>>,
): Readonly<Record<string, object>> {
  const isVendor = dialect === 'vendor'
  const secrets: Partial<SecretsOptions> = {
    ...(isVendor ? vendorSecrets : {}),
    ...(rootToken === undefined ? {} : { rootToken }),
    ...options['secrets'],
  }
  const platform: Partial<PlatformOptions> = {
    ...(isVendor ? vendorPlatform : {}),
    ...(rateLimit ? { enforceRateLimit: true } : {}),
    ...options['platform'],
  }
  const mesh: Partial<MeshOptions> = {
    ...(acl ? { aclEnabled: true } : {}),
    ...options['mesh'],
  }
  const scheduler: Partial<SchedulerOptions> = {
    ...(acl ? { aclEnabled: true } : {}),
    ...options['scheduler'],
  }
  return { ...options, secrets, platform, mesh, scheduler }
}
