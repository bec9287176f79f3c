import { createHash } from 'node:crypto'

/**
 * Returns a state file in the vendor dialect, which uses other names for `infra_version` and for
 * the registry host of providers. Recognizes these members by their indentation, so that values of
 * resources and outputs stay unchanged.
 */
export function stateInVendorDialect(content: string): string {
  return content
    .replace(/^ {2}"infra_version":/m, '  "terraform_version":')
    .replaceAll(
      /^ {6}"provider": "provider\[\\"registry\.infra\.example\//gm,
      '      "provider": "provider[\\"registry.terraform.io/',
    )
    .replaceAll(
      /^( {10,}"provider_name": ")registry\.infra\.example\//gm,
      '$1registry.terraform.io/',
    )
}

/** Returns the MD5 of a text in hexadecimal digits. */
export function md5Of(content: string): string {
  return createHash('md5').update(content).digest('hex')
}

/**
 * Returns the MD5 and the size in bytes of a state file in the vendor dialect; undefined if the
 * file is equal in both dialects.
 */
export function vendorFormOf(
  content: string,
): { readonly md5: string; readonly size: number } | undefined {
  const translated = stateInVendorDialect(content)
  if (translated === content) return undefined
  return { md5: md5Of(translated), size: Buffer.byteLength(translated) }
}
