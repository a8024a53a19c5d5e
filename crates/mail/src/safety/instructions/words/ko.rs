//! Korean.

use super::super::concept::Concept::{
    Action, Address, Assistant, Greeting, Lapse, Machine, MarkupWeak, Mention, Must, Negation, Noun, Override, Own,
    Persona, PersonaWeak, Prior, Prompt, Secret, Tell, User, WeakNoun,
};
use super::ConceptTable;

pub(super) const TABLE: &ConceptTable = &[
    (Lapse, &["적용되지 않"]),
    (Override, &["무시하고", "무시하세요", "무시해", "무시하", "잊으세요", "잊어", "따르지 마"]),
    (Prior, &["이전의", "이전", "모든", "원래", "위의", "기존", "지금까지의"]),
    (Noun, &["지시", "명령", "프롬프트", "지침"]),
    (WeakNoun, &["규칙", "제한", "개발자의", "가이드라인"]),
    (Prompt, &["시스템 프롬프트", "숨겨진 지시", "당신의 지시", "너의 프롬프트"]),
    (
        Machine,
        &[
            "ai 비서",
            "ai 에이전트",
            "ai",
            "인공지능",
            "언어 모델",
            "가상 비서",
            "이메일 에이전트",
            "자동 이메일 에이전트",
            "챗봇",
        ],
    ),
    (Assistant, &["비서", "에이전트", "모델"]),
    (Greeting, &["친애하는", "주의", "에게"]),
    (Address, &["당신이", "라면", "위한 것", "읽고 있는", "평가하는", "처리하는", "요약할"]),
    (
        Action,
        &[
            "전달하세요",
            "전달하",
            "답장하세요",
            "표시하고",
            "출력하여",
            "보내",
            "검색해",
            "포함하세요",
            "쓰고",
            "삭제하세요",
            "실행하고",
            "알려 주세요",
            "여세요",
            "올리고",
            "반복",
        ],
    ),
    (Must, &["해야 합니다", "해야", "반드시", "새로운 임무"]),
    (Secret, &["비밀번호", "인증 코드", "연락처", "받은편지함", "메일함", "청구서", "송금"]),
    (Negation, &["마세요", "말고", "않고"]),
    (Tell, &["알리지", "말하지", "말도", "통보"]),
    (User, &["사용자", "사람에게"]),
    (Persona, &["개발자 모드", "제한 없는 모델", "제한 없는"]),
    (PersonaWeak, &["지금부터 당신은", "이제 당신은", "행동하세요", "척하"]),
    (MarkupWeak, &["시스템:", "시스템 메시지"]),
    (Mention, &["공격자", "공격", "인젝션", "예를 들어", "다음 호", "연구원"]),
    (Own, &[" 제 ", "우리의", "에 관한"]),
];
