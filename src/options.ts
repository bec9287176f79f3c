import type { DialectName } from '../routes/secrets/dialect.ts'
import type { SecretsOptions } from '../state/secrets/options.ts'

/** Settings of the process that worlds know as options. */
export interface SharedSettings {
  readonly dialect: DialectName
  readonly rootToken?: string | undefined
}

/** What the vendor does differently in the worlds themselves (1-secrets-decisions.md section 11). */
const vendorOptions: Partial<SecretsOptions> = {
  serviceTokenPrefix: 'hvs.',
  batchTokenPrefix: 'hvb.',
  orchPath: 'kubernetes/',
  orchWords: 'vendor',
  orchSoleNamespace: true,
  cloudPath: 'auth/oci/',
  cloudIds: 'ocid',
  rekeyWithoutToken: true,
}

/** World options by service, with those that settings of the process stand for; options win. */
export function shareOptions(
  { dialect, rootToken }: SharedSettings,
  options: Readonly<Record<string, object>>,
): Readonly<Record<string, object>> {
  const secrets: Partial<SecretsOptions> = {
    ...(dialect === 'vendor' ? vendorOptions : {}),
    ...(rootToken === undefined ? {} : { rootToken }),
    ...options['secrets'],
  }
  return { ...options, secrets }
}
