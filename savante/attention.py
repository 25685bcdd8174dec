"interim"
import numpy as np
from .check import kernel, parallel
from .simd import *
from .simd import widen, narrow, load_i16x8, store_i16x8
from .exp import exp8
F=np.float32
@kernel
def _dot(k,ik,q,iq,d):
    z=splat(np.float32(0)); a0=z;a1=z;a2=z;a3=z
    for i in range(0,d,32):
        a0=fma(widen(load_i16x8(k,ik+i)),widen(load_i16x8(q,iq+i)),a0)
        a1=fma(widen(load_i16x8(k,ik+i+8)),widen(load_i16x8(q,iq+i+8)),a1)
        a2=fma(widen(load_i16x8(k,ik+i+16)),widen(load_i16x8(q,iq+i+16)),a2)
        a3=fma(widen(load_i16x8(k,ik+i+24)),widen(load_i16x8(q,iq+i+24)),a3)
    v=(a0+a2)+(a1+a3)
    t0=extract(v,0)+extract(v,4);t1=extract(v,1)+extract(v,5);t2=extract(v,2)+extract(v,6);t3=extract(v,3)+extract(v,7)
    return (t0+t1)+(t2+t3)
@kernel
def _row(q,iq,k,v,base,c0,c1,scale,acc,qh,d,part):
    for i in range(0,d,8):
        store_i16x8(qh,i,narrow(load_f32x8(q,iq+i)))
        store_i16x8(acc,i,narrow(splat(np.float32(0))))
    S=np.float32(0); M=np.float32(-np.inf)
    for c in range(c0,c1):
        s=_dot(k,base+c*d,qh,0,d)*scale+np.float32(0)
        ms=np.float32(1);vs=np.float32(1)
        if s>M:
            ms=expf(M-s); M=s; m=splat(ms)
            for i in range(0,d,8): store_i16x8(acc,i,narrow(widen(load_i16x8(acc,i))*m))
        else: vs=expf(s-M)
        w=splat(vs)
        for i in range(0,d,8): store_i16x8(acc,i,narrow(fma(widen(load_i16x8(v,base+c*d+i)),w,widen(load_i16x8(acc,i)))))
        S=S*ms+vs
    part[0]=M;part[1]=S
@kernel
def _rows_k(q,k,v,n_past,scale,out,i0,i1):
    n,H,d=q.shape; G=k.shape[0]; cells=k.shape[1]
    acc=np.empty(d,np.uint16);qh=np.empty(d,np.uint16);part=np.empty(2,np.float32)
    for it in range(i0,i1):
        t=it//H;h=it%H
        _row(q,it*d,k,v,(h//(H//G))*cells*d,0,n_past+t+1,scale,acc,qh,d,part)
        inv=splat(np.float32(1)/part[1]) if part[1]!=0 else splat(np.float32(0))
        for i in range(0,d,8): store_f32x8(out,it*d+i,widen(load_i16x8(acc,i))*inv)
@kernel
def _split_k(q,k,v,n_past,scale,nth,padded,out,i0,i1):
    n,H,d=q.shape; G=k.shape[0]; cells=k.shape[1]
    acc=np.empty(d,np.uint16);qh=np.empty(d,np.uint16);part=np.empty(2,np.float32);A=np.empty(d,np.float32)
    cs=-(-padded//nth)
    for h in range(i0,i1):
        Mf=np.float32(-np.inf);Sf=np.float32(0);A[:]=0
        for j in range(nth):
            a=j*cs;b=min(a+cs,n_past+1)
            if a>=b: continue
            _row(q,h*d,k,v,(h//(H//G))*cells*d,a,b,scale,acc,qh,d,part)
            M=part[0];S=part[1]
            if S==0: continue
            Mn=max(Mf,M); so=expf(Mf-Mn); sn=expf(M-Mn); so8=splat(so);sn8=splat(sn)
            for i in range(0,d,8): store_f32x8(A,i,fma(load_f32x8(A,i),so8,widen(load_i16x8(acc,i))*sn8))
            Sf=fmaf(Sf,so,S*sn); Mf=Mn
        inv=splat(np.float32(1)/Sf)
        for i in range(0,d,8): store_f32x8(out,h*d+i,load_f32x8(A,i)*inv)
@kernel
def _gemm(C,A,B,M,K,N):
    for i in range(M):
        for j in range(0,N,16):
            a=load_f32x8(C,i*N+j);b=load_f32x8(C,i*N+j+8)
            for kk in range(K):
                p=splat(A[i*K+kk])
                a=fma(load_f32x8(B,kk*N+j),p,a);b=fma(load_f32x8(B,kk*N+j+8),p,b)
            store_f32x8(C,i*N+j,a);store_f32x8(C,i*N+j+8,b)
@kernel
def _tiled_k(q,k,v,n_past,scale,out,i0,i1):
    n,H,d=q.shape; G=k.shape[0]; cells=k.shape[1]
    Q=np.empty(64*d,np.float32);KQ=np.empty(4096,np.float32);O=np.empty(64*d,np.float32);K32=np.zeros(64*d,np.float32);V32=np.zeros(64*d,np.float32)
    S=np.empty(64,np.float32);M=np.empty(64,np.float32); nt=-(-n//64)
    for it in range(i0,i1):
        h=it//nt; t0=it%nt*64; rows=min(64,n-t0); base=(h//(H//G))*cells*d
        Q[:]=0;O[:]=0;S[:]=0;M[:]=-np.inf
        for r in range(rows):
            for i in range(d): Q[r*d+i]=q[t0+r,h,i]
        for c in range(0,n_past+t0+rows,64):
            w=min(64,n_past+n-c)
            for tk in range(w):
                for i in range(0,d): K32[i*64+tk]=f16_to_f32(k[h//(H//G),c+tk,i])
                for i in range(0,d,8): store_f32x8(V32,tk*d+i,widen(load_i16x8(v,base+(c+tk)*d+i)))
            KQ[:]=0
            _gemm(KQ,Q,K32,64,d,64)
            for r in range(64):
                for j in range(64):
                    x=KQ[r*64+j]*scale
                    KQ[r*64+j]= x if (r<rows and c+j<=n_past+t0+r) else np.float32(-np.inf)
            for r in range(rows):
                tm=np.float32(-np.inf)
                for j in range(64): tm=max(tm,KQ[r*64+j])
                if tm==-np.inf:
                    KQ[r*64:r*64+64]=0
                    continue
                Mo=M[r];Mn=max(Mo,tm)
                if Mn>Mo:
                    ms=expf(Mo-Mn)
                    for i in range(0,d,8): store_f32x8(O,r*d+i,load_f32x8(O,r*d+i)*splat(ms))
                    S[r]*=ms
                M[r]=Mn
                tot=0.0;m8=splat(Mn)
                for j in range(0,64,8):
                    e=exp8(load_f32x8(KQ,r*64+j)-m8); store_f32x8(KQ,r*64+j,e); tot+=np.float64(hsum(e))
                S[r]=np.float32(np.float64(S[r])+tot)
            KQ[rows*64:]=0
            _gemm(O,KQ,V32,rows,64,d)
        for r in range(rows):
            inv=splat(np.float32(1)/S[r])
            for i in range(0,d,8): store_f32x8(out,((t0+r)*H+h)*d+i,load_f32x8(O,r*d+i)*inv)
def store_kv(x,cache,n_past): cache[:,n_past:n_past+len(x)]=x.transpose(1,0,2).astype(np.float16)
def attention(q,k,v,n_past,kv_splits=1,n_threads=1,out=None):
    n,H,d=q.shape; q=np.ascontiguousarray(q); ku=np.ascontiguousarray(k).view(np.uint16);vu=np.ascontiguousarray(v).view(np.uint16)
    out=np.empty((n,H*d),F); scale=F(F(1)/np.sqrt(F(d))); padded=max(256,-(-(n_past+n)//256)*256)
    if n>=64: parallel(_tiled_k,H*-(-n//64),q,ku,vu,n_past,scale,out,n_threads=n_threads)
    elif n==1 and padded>=512: parallel(_split_k,H,q,ku,vu,n_past,scale,kv_splits,padded,out,n_threads=n_threads)
    else: parallel(_rows_k,n*H,q,ku,vu,n_past,scale,out,n_threads=n_threads)
    return out
