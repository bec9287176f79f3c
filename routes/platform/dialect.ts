import { type Message, renderMessage } from '../../state/kernel/message.ts'
import { cachedRowJson } from '../http/declare/cached-row-json.ts'
import type { DialectName } from '../http/declare/dialect.ts'

/**
 * Category of an API word that a dialect may spell differently: attribute name, resource type,
 * settings id, default value, name of the platform in messages, product name, or header. Such words
 * are translated by their position, so that values chosen by callers stay unchanged. Enumerated
 * values are translated by their shapes instead.
 */
type Vocabulary = keyof typeof vendorWords

/** Wording of the platform API in one dialect (behaviour/platform#vendor-names). */
export interface PlatformDialect {
  readonly name: DialectName
  /** Renders a message in the dialect's wording. */
  renderMessage(message: Message): string
  /** Returns the dialect's spelling of a neutral word. */
  toWire(vocabulary: Vocabulary, neutral: string): string
  /**
   * Returns the neutral spelling of a word. The caller may have sent the neutral or the vendor's
   * spelling.
   */
  fromWire(vocabulary: Vocabulary, sent: string): string
  /** True if resources have the attributes that only the vendor's product has. */
  readonly hasVendorAttributes: boolean
  /** Headers that the dialect adds to every response. */
  readonly headers: Readonly<Record<string, string>>
}

/** Pairs of neutral and vendor words, for the words that differ. */
const vendorWords = {
  attribute: {
    'cloud1-access-key-id': 'aws-access-key-id',
    'cloud1-secret-key': 'aws-secret-key',
    'cloud2-credentials': 'gcp-credentials',
    'cloud3-client-id': 'azure-client-id',
    'cloud3-client-secret': 'azure-client-secret',
    'cloud3-subscription-id': 'azure-subscription-id',
    'cloud3-tenant-id': 'azure-tenant-id',
    'cloud1-enabled': 'aws-enabled',
    'cloud1-instance-profile-enabled': 'aws-instance-profile-enabled',
    'cloud2-enabled': 'gcp-enabled',
    'cloud3-enabled': 'azure-enabled',
    'infra-version': 'terraform-version',
    'infra-worker-sudo-enabled': 'terraform-worker-sudo-enabled',
    'infra-build-worker-plan-timeout': 'terraform-build-worker-plan-timeout',
    'infra-build-worker-apply-timeout': 'terraform-build-worker-apply-timeout',
  },
  type: { 'infra-versions': 'terraform-versions', 'sms-settings': 'twilio-settings' },
  settings: { sms: 'twilio' },
  settingsDefault: { 'support@example.com': 'support@hashicorp.com' },
  authority: { 'the platform': 'Terraform Cloud' },
  product: { infra: 'terraform' },
  header: { 'X-Infra-Get': 'X-Terraform-Get' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

type Lookup = (vocabulary: Vocabulary, word: string) => string

/**
 * Returns a function that looks up the other word of a pair, and returns unpaired words unchanged.
 *
 * @param from position of the known word in its pair: 0 for the neutral word, 1 for the vendor's
 */
function createLookup(from: 0 | 1): Lookup {
  const maps = new Map<string, ReadonlyMap<string, string>>(
    Object.entries(vendorWords).map(([vocabulary, pairs]) => [
      vocabulary,
      new Map(
        Object.entries(pairs).map(([neutral, vendor]) =>
          from === 0 ? [neutral, vendor] : [vendor, neutral],
        ),
      ),
    ]),
  )
  return (vocabulary, word) => maps.get(vocabulary)?.get(word) ?? word
}

const identityLookup: Lookup = (_vocabulary, word) => word
const toVendor = createLookup(0)
const toNeutral = createLookup(1)

const neutralDialect: PlatformDialect = {
  name: 'neutral',
  renderMessage,
  toWire: identityLookup,
  fromWire: toNeutral,
  hasVendorAttributes: false,
  headers: {},
}

const vendorDialect: PlatformDialect = {
  name: 'vendor',
  renderMessage,
  toWire: toVendor,
  fromWire: toNeutral,
  hasVendorAttributes: true,
  headers: {
    'TFP-API-Version': '2.6',
    'TFP-AppName': 'Terraform Enterprise',
    'X-TFE-Version': 'v202406-1',
    'X-TFE-Current-Version': '1.0.0',
  },
}

export function platformDialect(name: DialectName): PlatformDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/**
 * Returns a function that renders rows as JSON and caches the result. The JSON must depend only on
 * the row and the dialect.
 */
export const renderedJson = cachedRowJson(platformDialect)
