import type { DialectName } from '../http/dialect.ts'

/** The platform API's side of a dialect (2-platform-decisions.md section 9). */
export interface PlatformDialect {
  readonly name: DialectName
  /** An attribute, type, id or enumerated value as this dialect writes it. */
  out(neutral: string): string
  /** The specification's word for one that a caller sent, in either spelling. */
  in(sent: string): string
  /** Whether settings tell their vendor-only attributes. */
  readonly extras: boolean
  /** What every response carries besides. */
  readonly headers: Readonly<Record<string, string>>
}

/** Words that differ: attribute names, types, ids and values of enumerations. */
const words: readonly (readonly [string, string])[] = [
  ['infra', 'terraform'],
  ['ent-api', 'tfe-api'],
  ['ent-configuration-version', 'tfe-configuration-version'],
  ['cloud1-access-key-id', 'aws-access-key-id'],
  ['cloud1-secret-key', 'aws-secret-key'],
  ['cloud2-credentials', 'gcp-credentials'],
  ['cloud3-client-id', 'azure-client-id'],
  ['cloud3-client-secret', 'azure-client-secret'],
  ['cloud3-subscription-id', 'azure-subscription-id'],
  ['cloud3-tenant-id', 'azure-tenant-id'],
  ['cloud1-enabled', 'aws-enabled'],
  ['cloud1-instance-profile-enabled', 'aws-instance-profile-enabled'],
  ['cloud2-enabled', 'gcp-enabled'],
  ['cloud3-enabled', 'azure-enabled'],
  ['infra-build-worker-plan-timeout', 'terraform-build-worker-plan-timeout'],
  ['infra-build-worker-apply-timeout', 'terraform-build-worker-apply-timeout'],
  ['sms-settings', 'twilio-settings'],
  ['sms', 'twilio'],
  ['support@example.com', 'support@hashicorp.com'],
  ['Queued manually via the API', 'Queued manually via the Terraform Enterprise API'],
]

const vendorOf: ReadonlyMap<string, string> = new Map(words)
const neutralOf: ReadonlyMap<string, string> = new Map(
  words.map(([neutral, vendor]) => [vendor, neutral]),
)

const asIs = (text: string): string => text
const toNeutral = (text: string): string => neutralOf.get(text) ?? text

const neutralDialect: PlatformDialect = {
  name: 'neutral',
  out: asIs,
  in: toNeutral,
  extras: false,
  headers: {},
}

const vendorDialect: PlatformDialect = {
  name: 'vendor',
  out: (neutral) => vendorOf.get(neutral) ?? neutral,
  in: toNeutral,
  extras: true,
  headers: {
    'TFP-API-Version': '2.6',
    'TFP-AppName': 'Terraform Enterprise',
    'X-TFE-Version': 'v202406-1',
    'X-TFE-Current-Version': '1.0.0',
  },
}

/** The dialect of a name. */
export function platformDialect(name: DialectName): PlatformDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}
