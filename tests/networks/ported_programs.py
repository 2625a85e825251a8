"""Programs as people write them for PyTorch, of which only the imports were changed. test_ported_programs.py runs them."""
# ruff: noqa
# fmt: off
# mypy: ignore-errors

from __future__ import annotations


import math
from collections import OrderedDict
import ascendtensor as torch
import ascendtensor.nn as nn
import ascendtensor.nn.functional as F

class BasicBlock(nn.Module):
    expansion = 1
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.downsample = None
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride=stride, bias=False), nn.BatchNorm2d(cout))
    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)

class ResNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Sequential(OrderedDict([("conv", nn.Conv2d(3, 8, 7, 2, 3, bias=False)), ("bn", nn.BatchNorm2d(8)), ("act", nn.ReLU(True)), ("pool", nn.MaxPool2d(3, 2, 1))]))
        self.layer1 = self._make(8, 8, 2, 1)
        self.layer2 = self._make(8, 16, 2, 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
    def _make(self, cin, cout, n, stride):
        layers = [BasicBlock(cin, cout, stride)]
        layers += [BasicBlock(cout, cout) for _ in range(n - 1)]
        return nn.Sequential(*layers)
    def forward(self, x):
        x = self.stem(x)
        x = self.layer2(self.layer1(x))
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)

class DoubleConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(2, o), nn.SiLU(), nn.Conv2d(o, o, 3, padding=1), nn.GroupNorm(2, o), nn.SiLU())
    def forward(self, x):
        return self.net(x)

class UNet(nn.Module):
    def __init__(self, ch=(4, 8, 16)):
        super().__init__()
        self.downs = nn.ModuleList()
        self.ups = nn.ModuleList()
        self.pool = nn.MaxPool2d(2)
        i = 1
        for c in ch:
            self.downs.append(DoubleConv(i, c)); i = c
        self.mid = DoubleConv(ch[-1], ch[-1] * 2)
        for c in reversed(ch):
            self.ups.append(nn.ConvTranspose2d(c * 2, c, 2, 2))
            self.ups.append(DoubleConv(c * 2, c))
        self.head = nn.Conv2d(ch[0], 2, 1)
        self.time = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, ch[-1] * 2))
    def forward(self, x, t):
        half = 4
        freqs = torch.exp(-math.log(10000) * torch.arange(start=0, end=half, dtype=torch.float32) / half).to(device=t.device)
        args = t[:, None].float() * freqs[None]
        emb = self.time(torch.cat([torch.cos(args), torch.sin(args)], dim=-1))
        skips = []
        for d in self.downs:
            x = d(x); skips.append(x); x = self.pool(x)
        x = self.mid(x) + emb[:, :, None, None]
        skips = skips[::-1]
        for k in range(0, len(self.ups), 2):
            x = self.ups[k](x)
            s = skips[k // 2]
            if x.shape != s.shape:
                x = F.interpolate(x, size=s.shape[2:], mode="bilinear", align_corners=False)
            x = self.ups[k + 1](torch.cat((s, x), dim=1))
        return self.head(x)

class Tagger(nn.Module):
    def __init__(self, vocab=50, emb=8, hid=6, tags=5):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.char = nn.Conv1d(emb, emb, 3, padding=1)
        self.lstm = nn.LSTM(emb, hid, num_layers=2, batch_first=True, bidirectional=True, dropout=0.3)
        self.gru = nn.GRU(2 * hid, hid, batch_first=True)
        self.out = nn.Linear(hid, tags)
        self.trans = nn.Parameter(torch.randn(tags, tags))
    def forward(self, ids):
        mask = ids.ne(0)
        x = self.emb(ids)
        x = torch.tanh(self.char(x.transpose(1, 2))).transpose(1, 2)
        y, (h, c) = self.lstm(x)
        y, _ = self.gru(y)
        logits = self.out(y)
        score = logits.masked_fill(~mask.unsqueeze(-1), float("-inf"))
        alpha = logits[:, 0]
        for t in range(1, logits.size(1)):
            nxt = torch.logsumexp(alpha.unsqueeze(2) + self.trans.unsqueeze(0) + logits[:, t].unsqueeze(1), dim=1)
            alpha = torch.where(mask[:, t].unsqueeze(1), nxt, alpha)
        return logits, torch.logsumexp(alpha, dim=1), h, c, score.argmax(-1), F.cross_entropy(logits.reshape(-1, 5), (ids % 5).view(-1), ignore_index=0)

class PositionalEncoding(nn.Module):
    def __init__(self, d, max_len=100, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
        pe[:, 0::2] = torch.sin(position * div)
        pe[:, 1::2] = torch.cos(position * div)
        pe = pe.unsqueeze(0).transpose(0, 1)
        self.register_buffer("pe", pe)
    def forward(self, x):
        x = x + self.pe[:x.size(0), :]
        return self.dropout(x)

class TransformerModel(nn.Module):
    def __init__(self, ntoken=40, d=16, nhead=2, nhid=32, nlayers=2):
        super().__init__()
        self.src_mask = None
        self.pos = PositionalEncoding(d)
        self.encoder_layer = nn.TransformerEncoderLayer(d, nhead, nhid, dropout=0.2, activation=F.gelu)
        self.enc = nn.TransformerEncoder(self.encoder_layer, nlayers, norm=nn.LayerNorm(d))
        self.embed = nn.Embedding(ntoken, d)
        self.d = d
        self.decoder = nn.Linear(d, ntoken)
        self.init_weights()
    def _mask(self, sz):
        mask = (torch.triu(torch.ones(sz, sz)) == 1).transpose(0, 1)
        mask = mask.float().masked_fill(mask == 0, float("-inf")).masked_fill(mask == 1, float(0.0))
        return mask
    def init_weights(self):
        initrange = 0.1
        self.embed.weight.data.uniform_(-initrange, initrange)
        self.decoder.bias.data.zero_()
        self.decoder.weight.data.uniform_(-initrange, initrange)
    def forward(self, src, pad=None):
        if self.src_mask is None or self.src_mask.size(0) != len(src):
            self.src_mask = self._mask(len(src)).to(src.device)
        src = self.embed(src) * math.sqrt(self.d)
        src = self.pos(src)
        out = self.enc(src, self.src_mask, src_key_padding_mask=pad)
        return F.log_softmax(self.decoder(out), dim=-1)

class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.n_head, self.n_embd = n_head, n_embd
        self.attn_dropout = nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block))
    def forward(self, x, cache=None, flash=True):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        past = 0
        if cache is not None:
            past = cache[0].shape[-2]
            k = torch.cat((cache[0], k), dim=-2); v = torch.cat((cache[1], v), dim=-2)
        if flash and past == 0:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.1 if self.training else 0, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, past:past + T, :past + T] == 0, float("-inf"))
            att = self.attn_dropout(F.softmax(att, dim=-1))
            y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), (k, v)

class GPTBlock(nn.Module):
    def __init__(self, n_embd, n_head, block):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head, block)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(n_embd, 4 * n_embd), c_proj=nn.Linear(4 * n_embd, n_embd), act=nn.GELU(approximate="tanh"), dropout=nn.Dropout(0.1)))
        m = self.mlp
        self.mlpf = lambda x: m.dropout(m.c_proj(m.act(m.c_fc(x))))
    def forward(self, x, cache=None, flash=True):
        a, cache = self.attn(self.ln_1(x), cache, flash)
        x = x + a
        return x + self.mlpf(self.ln_2(x)), cache

class GPT(nn.Module):
    def __init__(self, vocab=60, n_embd=16, n_head=4, n_layer=2, block=32):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(wte=nn.Embedding(vocab, n_embd), wpe=nn.Embedding(block, n_embd), drop=nn.Dropout(0.1),
            h=nn.ModuleList([GPTBlock(n_embd, n_head, block) for _ in range(n_layer)]), ln_f=nn.LayerNorm(n_embd)))
        self.lm_head = nn.Linear(n_embd, vocab, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * n_layer))
        self.n_params = sum(p.numel() for p in self.parameters())
    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.2)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            module.weight.data.normal_(mean=0.0, std=0.2)
    def forward(self, idx, targets=None, caches=None, flash=True):
        device = idx.device
        b, t = idx.size()
        past = 0 if caches is None else caches[0][0].size(-2)
        pos = torch.arange(past, past + t, dtype=torch.long, device=device)
        x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
        new = []
        for i, block in enumerate(self.transformer.h):
            x, c = block(x, None if caches is None else caches[i], flash)
            new.append(c)
        x = self.transformer.ln_f(x)
        logits = self.lm_head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1) if targets is not None else None
        return logits, loss, new
    @torch.no_grad()
    def generate(self, idx, n, top_k=5):
        logits, _, caches = self(idx)
        for _ in range(n):
            logits = logits[:, -1, :] / 0.8
            v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
            logits[logits < v[:, [-1]]] = -float("Inf")
            probs = F.softmax(logits, dim=-1)
            nxt = torch.argmax(probs, dim=-1, keepdim=True)
            idx = torch.cat((idx, nxt), dim=1)
            logits, _, caches = self(nxt, caches=caches)
        return idx

class LayerScale(nn.Module):
    def __init__(self, dim, init=1e-1):
        super().__init__()
        self.gamma = nn.Parameter(init * torch.ones(dim))
    def forward(self, x):
        return x * self.gamma

class ViT(nn.Module):
    def __init__(self, img=16, patch=4, dim=16, depth=2, heads=4, classes=7):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, patch)
        n = (img // patch) ** 2
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.empty(1, n + 1, dim).normal_(std=0.02))
        nn.init.trunc_normal_(self.cls_token, std=0.02)
        self.blocks = nn.ModuleList([])
        for _ in range(depth):
            self.blocks.append(nn.ModuleList([nn.LayerNorm(dim, eps=1e-6), nn.MultiheadAttention(dim, heads, batch_first=True), nn.LayerNorm(dim), nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Dropout(0.0), nn.Linear(4 * dim, dim)), LayerScale(dim)]))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
    def forward(self, x):
        B = x.shape[0]
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(B, -1, -1), x), dim=1) + self.pos_embed
        for n1, attn, n2, mlp, ls in self.blocks:
            y = n1(x)
            a, w = attn(y, y, y, need_weights=True, average_attn_weights=False)
            x = x + ls(a)
            x = x + mlp(n2(x))
        return self.head(self.norm(x)[:, 0]), w

def _make_divisible(v, divisor, min_value=None):
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v

class ConvBNReLU(nn.Sequential):
    def __init__(self, i, o, k=3, s=1, groups=1, act=nn.ReLU6):
        padding = (k - 1) // 2
        super().__init__(nn.Conv2d(i, o, k, s, padding, groups=groups, bias=False), nn.BatchNorm2d(o), act(inplace=True))

class SE(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(c, c // r, 1)
        self.fc2 = nn.Conv2d(c // r, c, 1)
        self.activation = nn.ReLU()
        self.scale_activation = nn.Hardsigmoid()
    def forward(self, x):
        s = self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x)))))
        return s * x

class InvertedResidual(nn.Module):
    def __init__(self, i, o, s, t):
        super().__init__()
        h = int(round(i * t))
        self.use_res = s == 1 and i == o
        layers = []
        if t != 1:
            layers.append(ConvBNReLU(i, h, k=1))
        layers.extend([ConvBNReLU(h, h, s=s, groups=h, act=nn.Hardswish), SE(h), nn.Conv2d(h, o, 1, 1, 0, bias=False), nn.BatchNorm2d(o)])
        self.conv = nn.Sequential(*layers)
    def forward(self, x):
        return x + self.conv(x) if self.use_res else self.conv(x)

class MobileNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        c = _make_divisible(8 * 1.0, 8)
        features = [ConvBNReLU(3, c, s=2)]
        for t, o, n, s in [[1, 8, 1, 1], [4, 16, 2, 2]]:
            o = _make_divisible(o, 8)
            for i in range(n):
                features.append(InvertedResidual(c, o, s if i == 0 else 1, t)); c = o
        features.append(ConvBNReLU(c, 32, k=1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(32, classes))
    def forward(self, x):
        x = self.features(x)
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1)).reshape(x.shape[0], -1)
        return self.classifier(x)

class VAE(nn.Module):
    def __init__(self, z=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 4, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(4, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.LeakyReLU(0.2), nn.Flatten())
        self.mu, self.logvar = nn.Linear(8 * 16, z), nn.Linear(8 * 16, z)
        self.dec = nn.Sequential(nn.Linear(z, 8 * 16), nn.ELU(), nn.Unflatten(1, (8, 4, 4)), nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.InstanceNorm2d(4, affine=True), nn.ReLU(),
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.ReflectionPad2d(1), nn.Conv2d(4, 4, 3), nn.PReLU(4), nn.Conv2d(4, 4, 1), nn.PixelShuffle(2), nn.AvgPool2d(2), nn.Sigmoid())
    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.zeros_like(std)
        return mu + eps * std
    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        out = self.dec(self.reparameterize(mu, logvar))
        bce = F.binary_cross_entropy(out, x, reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return out, mu, bce + kld
