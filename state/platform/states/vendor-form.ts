import { createHash } from 'node:crypto'

/**
 * Returns a state file with the vendor's names, if an apply wrote the file. Indentation identifies
 * the lines, so that no value of a resource or output changes.
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

/** Returns the MD5 of a state file in hexadecimal digits. */
export function md5Of(content: string): string {
  return createHash('md5').update(content).digest('hex')
}

/**
 * Returns digest and size of a state file as a download in the vendor dialect has them, or undefined
 * if the file is the same in both dialects.
 */
export function vendorFormOf(
  content: string,
): { readonly md5: string; readonly size: number } | undefined {
  const translated = stateInVendorDialect(content)
  if (translated === content) return undefined
  return { md5: md5Of(translated), size: Buffer.byteLength(translated) }
}
