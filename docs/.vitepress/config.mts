import { readFileSync } from 'node:fs'

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
  description: 'In-memory stand-in for Vault, Terraform Enterprise, Consul and Nomad in tests',
  lang: 'en-GB',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  // test/links.test.ts looks at links; some lead to files beside the folder of documents.
  ignoreDeadLinks: true,
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
}
