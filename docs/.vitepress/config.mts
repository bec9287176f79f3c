import { readFileSync } from 'node:fs'

/** The part of markdown-it that is used here. */
interface Renderer {
  readonly renderer: {
    readonly rules: {
      code_inline?: (tokens: readonly Token[], at: number, ...rest: readonly unknown[]) => string
    }
  }
}
interface Token {
  attrSet(name: string, value: string): void
}

/** The list of documents, as the reader of docs/README.md sees it: headings with links. */
const list = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const sidebar = list
  .split(/^## /m)
  .slice(1)
  .map((part) => ({
    text: part.slice(0, part.indexOf('\n')),
    collapsed: false,
    items: [...part.matchAll(/^- \[(.+)\]\((?!\.\.)(.+)\.md\)$/gm)].map(([, text, link]) => ({
      text,
      link: `/${link}`,
    })),
  }))
  .filter(({ items }) => items.length > 0)

export default {
  title: 'infra-understudy',
  description: 'In-memory mock of Vault, Terraform Enterprise, Consul and Nomad in tests',
  lang: 'en-GB',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  // test/links.test.ts looks at links; some lead to files beside the folder of documents.
  ignoreDeadLinks: true,
  markdown: {
    // Braces in code are the text of policies and templates, not expressions of Vue's.
    config(md: Renderer) {
      const { code_inline } = md.renderer.rules
      md.renderer.rules.code_inline = (tokens, at, ...rest) => {
        tokens[at]?.attrSet('v-pre', '')
        return code_inline?.(tokens, at, ...rest) ?? ''
      }
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
}
