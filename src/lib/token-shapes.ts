export interface TokenShape {
  /** One of these is in every text that the pattern can match. */
  marks: string[];
  /** What its first group catches is kept; every pattern runs in linear time. */
  pattern: RegExp;
}

/** How well-known secrets look, whoever they belong to. */
export const TOKEN_SHAPES: TokenShape[] = [
  {
    marks: ['PRIVATE KEY-----'],
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?:(?!-----)[^"'])*-----END [A-Z ]{0,40}PRIVATE KEY-----|(?:\s|\\[nr]|[A-Za-z0-9+/=])*)/g,
  },
  { marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /gh[pousr]_[A-Za-z0-9]{20,255}/g },
  { marks: ['github_pat_'], pattern: /github_pat_[A-Za-z0-9_]{20,255}/g },
  {
    marks: ['gl'],
    pattern: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{16,255}/g,
  },
  { marks: ['sk-'], pattern: /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{20,255}/g },
  { marks: ['xox'], pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  { marks: ['AKIA', 'ASIA'], pattern: /(?<![A-Za-z0-9])A[KS]IA[0-9A-Z]{16}(?![A-Za-z0-9])/g },
  { marks: ['AIza'], pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}/g },
  { marks: ['npm_', 'hf_'], pattern: /(?<![A-Za-z0-9_])(?:npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,64})/g },
  { marks: ['eyJ'], pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g },
  { marks: ['earer', 'EARER'], pattern: /\b(bearer )(?=[A-Za-z._~+/=-]{0,80}[0-9])[\w.~+/=-]{16,}/gi },
  {
    marks: ['uthorization', 'UTHORIZATION'],
    pattern: /(authorization["']?: ?["']?(?:basic|token|bearer) )[\w.~+/=-]{8,}/gi,
  },
  { marks: ['://'], pattern: /(:\/\/[^\s:@/"'\\]{0,100}:)[^\s@/"'\\]{3,255}(?=@)/g },
];
